"""Single keys that work in the panel, and on the map while its tool is chosen, but not where text is written."""

from qgis.gui import QgsMapToolPan
from qgis.PyQt import sip
from qgis.PyQt.QtCore import QEvent, QObject, Qt


class Keys(QObject):
    """Listens to widgets; ``actions`` holds by key what it does, ``only_here`` the keys of some of the widgets.

    Parameters
    ----------
    actions
        What each key does.
    repeated
        Those that act again and again while they are held down; the others act once.
    is_on
        Whether keys mean anything now; if not, they are left to whom they belong.
    """

    def __init__(self, actions, parent=None, *, repeated=(), is_on=lambda: True):
        super().__init__(parent)
        self.actions, self.repeated, self.is_on, self.only_here = actions, frozenset(repeated), is_on, {}

    def listen(self, widget, extra=None):
        """Take keys from a widget too; ``extra`` are further keys there."""
        self.only_here[widget] = extra or {}
        widget.installEventFilter(self)

    def leave(self, widget):
        """Leave a widget alone."""
        if self.only_here.pop(widget, None) is not None:
            widget.removeEventFilter(self)

    def stop(self):
        """Leave all widgets alone."""
        for widget in list(self.only_here):
            self.leave(widget)

    def eventFilter(self, widget, event):
        kind = event.type()
        if kind not in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            return False
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
        extra = self.only_here.get(widget, {})
        act = (extra.get(event.key()) or self.actions.get(event.key())) if plain else None
        if act is None or not self.is_on():
            return False
        event.accept()
        if kind == QEvent.Type.ShortcutOverride:  # or a shortcut of the window would take the key
            return True
        if not event.isAutoRepeat() or event.key() in self.repeated:
            act()
        return True


class KeysOnMap(QgsMapToolPan):
    """The tool of the map with which the keys of the review work there; the mouse moves the map."""

    def __init__(self, canvas, keys, button):
        super().__init__(canvas)
        self.keys, self.before = keys, None
        self.setButton(button)

    def choose(self):
        """Make it the tool of the map."""
        self.before = self.canvas().mapTool()
        self.canvas().setMapTool(self)
        self.canvas().setFocus()

    def put_away(self):
        """Give the map back the tool that it had."""
        if self.canvas().mapTool() is not self:
            return
        self.canvas().unsetMapTool(self)
        if self.before is not None and not sip.isdeleted(self.before):
            self.canvas().setMapTool(self.before)

    def activate(self):
        super().activate()
        self.keys.listen(self.canvas())

    def deactivate(self):
        self.keys.leave(self.canvas())
        super().deactivate()
