"""Layers of QGIS on their way to the engine.

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

# Read by the engine exactly as they are.
SUFFIXES = ("gpkg", "fgb", "shp", "geojson", "osm", "pbf")
OSM_SUFFIXES = ("osm", "pbf")
ROW_ID = "ge_id"
# Columns in which a network that geoeval wrote keeps its graph.
GRAPH_FIELDS = ("ge_from", "ge_to", "ge_cut", "source_id")
# Columns that say how sure a detector of objects is.
CONFIDENCE_FIELDS = ("confidence", "Confidence", "conf", "score", "probability", "prob")


class HandedOver:
    """What the engine is told about an input: file, layer, CRS, and the name that people know it by."""

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
    """A layer as a file for the engine: its own, or a ``copy``. ``crs`` overrules the layer's, where it is valid."""
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
    """The layer of a parameter, also where the user wants its selected features only."""
    value = parameters.get(name)
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        source, _ = value.source.valueAsString(context.expressionContext())
        return QgsProcessingUtils.mapLayerFromString(source, context)
    return algorithm.parameterAsVectorLayer(parameters, name, context)


def missing_crs(algorithm, name, parameters, context, crs_name):
    """What to tell the user where nobody knows the CRS of a layer, or None."""
    layer = layer_of(algorithm, name, parameters, context)
    if layer is None or layer.crs().isValid() or algorithm.parameterAsCrs(parameters, crs_name, context).isValid():
        return None
    return no_crs(algorithm, layer, crs_name)


def no_crs(algorithm, layer, crs_name):
    """The message for a layer that does not say what its coordinates are in."""
    label = algorithm.parameterDefinition(crs_name).description()
    return (
        f'The layer "{layer.name()}" has no coordinate reference system; choose one in the advanced parameter '
        f'"{label}", or in the properties of the layer'
    )


def crs_text(crs):
    """A CRS in words that the engine knows: its authority's code where there is one."""
    return (
        crs.authid()
        if crs.authid().startswith("EPSG:")
        else crs.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED)
    )


def copy_rows(layer, path, crs, context, *, selected_only=False):
    """Write the rows that QGIS shows, with the ids that QGIS shows, and of their attributes what the engine reads."""
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
        raise QgsProcessingException(f'The layer "{layer.name()}" cannot be handed over: {writer.errorMessage()}')
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
    """Whether the user wants the selected features only."""
    return isinstance(value, QgsProcessingFeatureSourceDefinition) and value.selectedFeaturesOnly


def _needs_copy(layer, selected_only):
    """Whether QGIS shows other rows than the file holds."""
    return (
        selected_only
        or not isinstance(layer, QgsVectorLayer)
        or layer.providerType() != "ogr"
        or bool(layer.subsetString())
        or layer.isModified()
    )


def _suffix(layer):
    """Suffix of the file behind a layer, or nothing."""
    if layer.providerType() != "ogr":
        return ""
    path = QgsProviderRegistry.instance().decodeUri("ogr", layer.source()).get("path", "")
    if path.startswith("/vsi"):
        return ""
    return Path(path).suffix.lower().lstrip(".")
