"""QGIS layers on their way to the engine.

Files go over as they are. What only QGIS knows (memory layers, databases, selections, filters, edits that are not
saved) is copied into a FlatGeobuf file that names the rows it was made from.
"""

from pathlib import Path

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureRequest,
    QgsFields,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingUtils,
    QgsProviderRegistry,
    QgsVectorFileWriter,
    QgsVectorLayer,
)

from .compat import whole_field

# File types that the engine reads as they are.
SUFFIXES = ("gpkg", "fgb", "shp", "geojson", "osm", "pbf")
OSM_SUFFIXES = ("osm", "pbf")
ROW_ID = "ge_id"
# Columns in which a network that geoeval wrote keeps its graph.
GRAPH_FIELDS = ("ge_from", "ge_to", "ge_cut", "source_id")
# Columns that hold the confidence of an object detector.
CONFIDENCE_FIELDS = ("confidence", "Confidence", "conf", "score", "probability", "prob")


class HandedOver:
    """What the engine is told about an input: file, layer, CRS, and the name shown to the user."""

    def __init__(self, path, layer=None, crs=None, name=""):
        self.path, self.layer, self.crs, self.name = str(path), layer, crs, name or Path(path).stem

    def options(self, role):
        """The options of the command line for this input."""
        options = ["--" + role + "-layer", self.layer] if self.layer else []
        return options + (["--" + role + "-crs", self.crs] if self.crs else [])


def hand_over(algorithm, name, parameters, context, feedback, *, folder, crs_name=None):
    """An input layer as a file for the engine.

    Parameters
    ----------
    name
        The parameter that holds the layer.
    folder
        Where a copy is put, if one is needed.
    crs_name
        The parameter that gives the CRS of a layer that has none.
    """
    layer = layer_of(algorithm, name, parameters, context)
    if layer is None or not layer.isValid():
        raise QgsProcessingException(algorithm.invalidSourceError(parameters, name))
    given = algorithm.parameterAsCrs(parameters, crs_name, context) if crs_name else None
    if not layer.crs().isValid() and not (given is not None and given.isValid()):
        raise QgsProcessingException(no_crs(algorithm, layer, crs_name))
    selected_only = selected_only_of(parameters.get(name))
    return hand_over_layer(
        layer, Path(folder) / f"{name.lower()}.fgb", context, feedback, crs=given, selected_only=selected_only
    )


def hand_over_layer(layer, copy, context, feedback, *, crs=None, selected_only=False):
    """A layer as a file for the engine: its own file or a ``copy``. A valid ``crs`` overrides the layer's."""
    crs = crs if crs is not None and crs.isValid() else layer.crs()
    suffix = _suffix(layer)
    if suffix not in SUFFIXES or _needs_copy(layer, selected_only):
        copy_rows(layer, copy, crs, context, selected_only=selected_only)
        return HandedOver(copy, name=layer.name())
    path, inner = QgsProcessingUtils.convertToCompatibleFormatAndLayerName(
        layer, selected_only, "", list(SUFFIXES), "fgb", context, feedback
    )
    if suffix in OSM_SUFFIXES:
        # The engine reads the ways themselves, which know where roads join; GDAL's layers do not.
        return HandedOver(path, name=layer.name())
    own = layer.dataProvider().crs()
    told = crs_text(crs) if not own.isValid() or own != crs else None
    return HandedOver(path, inner if suffix == "gpkg" else None, told, layer.name())


def layer_of(algorithm, name, parameters, context):
    """The layer of a parameter, even if the user wants only its selected features."""
    value = parameters.get(name)
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        source, _ = value.source.valueAsString(context.expressionContext())
        return QgsProcessingUtils.mapLayerFromString(source, context)
    return algorithm.parameterAsVectorLayer(parameters, name, context)


def missing_crs(algorithm, name, parameters, context, crs_name):
    """The message for a layer whose CRS is unknown, or None."""
    layer = layer_of(algorithm, name, parameters, context)
    if layer is None or layer.crs().isValid() or algorithm.parameterAsCrs(parameters, crs_name, context).isValid():
        return None
    return no_crs(algorithm, layer, crs_name)


def no_crs(algorithm, layer, crs_name):
    """The message for a layer without a CRS."""
    label = algorithm.parameterDefinition(crs_name).description()
    return (
        f'The layer "{layer.name()}" has no coordinate reference system; choose one in the advanced parameter '
        f'"{label}", or in the properties of the layer'
    )


def crs_text(crs):
    """A CRS as text that the engine can read: its EPSG code if it has one."""
    return (
        crs.authid()
        if crs.authid().startswith("EPSG:")
        else crs.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED)
    )


def copy_rows(layer, path, crs, context, *, selected_only=False):
    """Write the rows and ids that QGIS shows, with the attributes that the engine reads."""
    fields = QgsFields()
    fields.append(whole_field(ROW_ID, long=True))
    kept = [name for name in (*GRAPH_FIELDS, *CONFIDENCE_FIELDS) if layer.fields().indexOf(name) >= 0]
    for name in kept:
        fields.append(layer.fields().field(name))
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = "FlatGeobuf"
    options.fileEncoding = "UTF-8"
    options.layerOptions = ["SPATIAL_INDEX=NO"]
    writer = QgsVectorFileWriter.create(str(path), fields, layer.wkbType(), crs, context.transformContext(), options)
    if writer.hasError() != QgsVectorFileWriter.WriterError.NoError:
        raise QgsProcessingException(f'The layer "{layer.name()}" cannot be copied: {writer.errorMessage()}')
    request = QgsFeatureRequest()
    if selected_only:
        request.setFilterFids(layer.selectedFeatureIds())
    for row in layer.getFeatures(request):
        copy = QgsFeature(fields)
        copy.setGeometry(row.geometry())
        copy.setAttributes([row.id(), *(row[name] for name in kept)])
        writer.addFeature(copy)
    del writer  # closes the file


def selected_only_of(value):
    """Whether the user wants only the selected features."""
    return isinstance(value, QgsProcessingFeatureSourceDefinition) and value.selectedFeaturesOnly


def _needs_copy(layer, selected_only):
    """Whether the rows that QGIS shows differ from those in the file."""
    return (
        selected_only
        or not isinstance(layer, QgsVectorLayer)
        or layer.providerType() != "ogr"
        or bool(layer.subsetString())
        or layer.isModified()
    )


def _suffix(layer):
    """Suffix of the file behind a layer, or an empty string."""
    if layer.providerType() != "ogr":
        return ""
    path = QgsProviderRegistry.instance().decodeUri("ogr", layer.source()).get("path", "")
    if path.startswith("/vsi"):
        return ""
    return Path(path).suffix.lower().lstrip(".")
