"""The few lines that differ between versions of QGIS."""

from qgis.core import Qgis, QgsField, QgsProcessingParameterDefinition, QgsTask
from qgis.PyQt.QtCore import QMetaType, QVariant

from .translation import tr

try:
    from qgis.PyQt.QtGui import QAction  # where Qt 6 has it
except ImportError:
    from qgis.PyQt.QtWidgets import QAction

__all__ = ("QAction",)
SETTING = "GEOEVAL_PYTHON"

# Fields are made with QMetaType since 3.38; what was there before is gone with Qt 6.
if Qgis.QGIS_VERSION_INT >= 33800:
    TEXT, WHOLE, LONG, NUMBER = (
        QMetaType.Type.QString,
        QMetaType.Type.Int,
        QMetaType.Type.LongLong,
        QMetaType.Type.Double,
    )
else:
    TEXT, WHOLE, LONG, NUMBER = (
        QVariant.Type.String,
        QVariant.Type.Int,
        QVariant.Type.LongLong,
        QVariant.Type.Double,
    )


def text_field(name):
    """A field of text."""
    return QgsField(name, TEXT)


def whole_field(name, *, long=False):
    """A field of whole numbers."""
    return QgsField(name, LONG if long else WHOLE)


def number_field(name):
    """A field of numbers."""
    return QgsField(name, NUMBER)


def add_interpreter_setting(group, icon_path):
    """Add the interpreter to the options of Processing; return the function that reads it."""
    from processing.core.ProcessingConfig import ProcessingConfig, Setting
    from qgis.PyQt.QtGui import QIcon

    ProcessingConfig.settingIcons[group] = QIcon(icon_path)
    ProcessingConfig.addSetting(
        Setting(
            group,
            SETTING,
            tr("Python interpreter with geoeval (empty: the environment set up by this plugin)"),
            "",
            valuetype=Setting.FILE,
        )
    )
    ProcessingConfig.readSettings()
    return lambda: ProcessingConfig.getSetting(SETTING)


def remove_interpreter_setting():
    """Remove the setting."""
    from processing.core.ProcessingConfig import ProcessingConfig

    ProcessingConfig.removeSetting(SETTING)


def advanced(parameter):
    """The same parameter, marked as advanced."""
    return _flagged(parameter, "Advanced")


def hidden(parameter):
    """The same parameter, which dialogs do not show; scripts can give it all the same."""
    return _flagged(parameter, "Hidden")


def _flagged(parameter, name):
    try:
        flag = getattr(Qgis.ProcessingParameterFlag, name)  # since 3.36
    except AttributeError:
        flag = getattr(QgsProcessingParameterDefinition.Flag, f"Flag{name}")
    parameter.setFlags(parameter.flags() | flag)
    return parameter


def quiet_task():
    """The flag of a task whose end is no news; none before 3.26."""
    return getattr(QgsTask.Flag, "Silent", QgsTask.Flag(0))


def put_into_group(layer, project, name, position):
    """Move a loaded layer into the group ``name`` at the top of the layer tree.

    ``position`` tells its place among the layers that were put there before: smaller is further up.
    """
    root = project.layerTreeRoot()
    group = root.findGroup(name)
    if group is None:
        group = root.insertGroup(0, name)
    node = root.findLayer(layer.id())
    if node is None:
        return
    # QGIS may have put it somewhere into the group already, beside the layer that is current. The copy comes before
    # the removal: QGIS takes a layer that is nowhere in the tree out of the project.
    clone = node.clone()
    clone.setCustomProperty("geoeval/position", position)
    clone.setExpanded(False)
    further_down = (
        index
        for index, child in enumerate(group.children())
        if child != node and int(child.customProperty("geoeval/position", 10**6)) > position
    )
    group.insertChildNode(next(further_down, len(group.children())), clone)
    node.parent().removeChildNode(node)
