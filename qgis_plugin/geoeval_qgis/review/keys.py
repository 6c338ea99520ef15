"""Single keys that work in the panel and on the map, but not where text is written."""

from qgis.PyQt.QtCore import QEvent, QObject, Qt


class Keys(QObject):
    """Listens to widgets; ``actions`` holds by key what it does, ``only_here`` the keys of some of the widgets."""

    def __init__(self, actions, parent=None):
        super().__init__(parent)
        self.actions, self.only_here = actions, {}

    def listen(self, widget, extra=None):
        """Take keys from a widget too; ``extra`` are further keys there."""
        self.only_here[widget] = extra or {}
        widget.installEventFilter(self)

    def stop(self):
        """Leave all widgets alone."""
        for widget in self.only_here:
            widget.removeEventFilter(self)
        self.only_here = {}

    def eventFilter(self, widget, event):
        kind = event.type()
        if kind not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        extra = self.only_here.get(widget, {})
        act = (extra.get(event.key()) or self.actions.get(event.key())) if plain else None
        if act is None:
            return False
        event.accept()
        if kind == QEvent.Type.ShortcutOverride:  # or a shortcut of the window would take the key
            return True
        act()
        return True
