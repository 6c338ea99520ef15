"""QGIS layers on their way to the engine.

Files go over as they are. What only QGIS knows (memory layers, databases, selections, filters, edits that are not
saved) is copied into a FlatGeobuf file that names the rows it was made from. What to copy is noted in the main thread,
where layers live; the copying itself is done in the thread of the algorithm, so that the window stays alive.
"""

from pathlib import Path

from qgis.core import (
    QgsCoordinateReferenceSystem,
    QgsFeature,
    QgsFeatureRequest,
    QgsFeatureSink,
    QgsFields,
    QgsProcessingException,
    QgsProcessingFeatureSourceDefinition,
    QgsProcessingUtils,
    QgsProviderRegistry,
    QgsVectorFileWriter,
    QgsVectorLayerFeatureSource,
)

from .compat import whole_field
from .destinations import file_name
from .runner import CanceledError

# File types that the engine reads as they are.
SUFFIXES = ("gpkg", "fgb", "shp", "geojson", "osm", "pbf")
OSM_SUFFIXES = ("osm", "pbf")
ROW_ID = "ge_id"
# Columns that the engine reads: the graph of a network that geoeval wrote, classes of roads, the confidence of a
# detector, and how a line is drawn.
READ_FIELDS = ("ge_from", "ge_to", "ge_cut", "source_id", "highway", "fclass", "class", "confidence", "Confidence",
               "conf", "score", "probability", "prob", "width", "style")  # fmt: skip
# Rows between two looks at whether the user canceled.
_BREATH = 1000


class HandedOver:
    """What the engine is told about an input: file, layer, CRS, and the name shown to the user.

    ``rows`` are those of a copy that ``write`` has to make first; None where the engine reads the file itself.
    ``source`` says where the rows of a copy are from.
    """

    def __init__(self, path, layer=None, crs=None, name="", rows=None, source=""):
        self.path, self.layer, self.crs, self.name = str(path), layer, crs, name or Path(path).stem
        self.rows, self.source = rows, source

    def options(self, role):
        """The options of the command line for this input."""
        options = ["--" + role + "-layer", self.layer] if self.layer else []
        return options + (["--" + role + "-crs", self.crs] if self.crs else [])

    def names(self, role):
        """The options of the command line for what the user calls this input, which may be a copy soon gone."""
        return [f"--{role}-name", self.name, *([f"--{role}-source", self.source] if self.source else [])]

    def write(self, feedback):
        """Make the copy, if one is needed; may be called in any thread."""
        if self.rows is not None:
            self.rows.write(Path(self.path), feedback)
            self.rows = None


class Rows:
    """The rows of a layer as the user sees them at this moment, to be read later in another thread."""

    def __init__(self, layer, crs, context, request=None):
        self.name, self.crs, self.request = layer.name(), crs, request or QgsFeatureRequest()
        self.wkb_type, self.transforms = layer.wkbType(), context.transformContext()
        self.source = QgsVectorLayerFeatureSource(layer)
        self.kept = [(name, layer.fields().indexOf(name)) for name in READ_FIELDS if layer.fields().indexOf(name) >= 0]
        self.fields = QgsFields()
        self.fields.append(whole_field(ROW_ID, long=True))
        for _name, index in self.kept:
            self.fields.append(layer.fields().at(index))

    def write(self, path, feedback):
        """Write the rows with their ids and the attributes that the engine reads."""
        options = QgsVectorFileWriter.SaveVectorOptions()
        options.driverName = "FlatGeobuf"
        options.fileEncoding = "UTF-8"
        options.layerOptions = ["SPATIAL_INDEX=NO"]
        path.parent.mkdir(parents=True, exist_ok=True)
        writer = QgsVectorFileWriter.create(str(path), self.fields, self.wkb_type, self.crs, self.transforms, options)
        if writer.hasError() != QgsVectorFileWriter.WriterError.NoError:
            raise QgsProcessingException(f'The layer "{self.name}" cannot be copied: {writer.errorMessage()}')
        indexes = [index for _name, index in self.kept]
        fast = QgsFeatureSink.Flag.FastInsert
        for number, row in enumerate(self.source.getFeatures(self.request)):
            if number % _BREATH == 0 and feedback.isCanceled():
                raise CanceledError
            attributes = row.attributes()
            copy = QgsFeature(self.fields)
            copy.setGeometry(row.geometry())
            copy.setAttributes([row.id(), *(attributes[index] for index in indexes)])
            writer.addFeature(copy, fast)
        del writer  # closes the file


def hand_over(algorithm, name, parameters, context, feedback, *, folder, crs_name=None):
    """An input layer as a file for the engine; ``write`` it before the engine starts.

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
    copy = Path(folder) / name.lower() / file_name(layer.name(), ".fgb")
    return hand_over_layer(layer, copy, context, feedback, crs=given, request=request_of(parameters.get(name), layer))


def hand_over_layer(layer, copy, context, feedback, *, crs=None, request=None):
    """A layer as a file for the engine: its own file or a ``copy``. A valid ``crs`` overrides the layer's.

    ``request`` chooses rows; None for all.
    """
    crs = crs if crs is not None and crs.isValid() else layer.crs()
    suffix = _suffix(layer)
    if suffix not in SUFFIXES or request is not None or _needs_copy(layer):
        rows = Rows(layer, crs, context, request)
        return HandedOver(copy, name=layer.name(), rows=rows, source=_source(layer))
    path, inner = QgsProcessingUtils.convertToCompatibleFormatAndLayerName(
        layer, False, "", list(SUFFIXES), "fgb", context, feedback
    )
    if suffix in OSM_SUFFIXES:
        # The engine reads the ways themselves, which know where roads join; GDAL's layers do not.
        return HandedOver(path, name=layer.name())
    own = layer.dataProvider().crs()
    told = crs_text(crs) if not own.isValid() or own != crs else None
    return HandedOver(path, inner if suffix == "gpkg" else None, told, layer.name())


def layer_of(algorithm, name, parameters, context):
    """The layer of a parameter, even if the user wants only a part of its features."""
    value = parameters.get(name)
    if isinstance(value, QgsProcessingFeatureSourceDefinition):
        source, _ = value.source.valueAsString(context.expressionContext())
        return QgsProcessingUtils.mapLayerFromString(source, context)
    return algorithm.parameterAsVectorLayer(parameters, name, context)


def request_of(value, layer):
    """The rows that the dialog asks for by selection, expression or number; None for all of them."""
    if not isinstance(value, QgsProcessingFeatureSourceDefinition):
        return None
    # The expression is there since 3.32.
    selected, limit, expression = value.selectedFeaturesOnly, value.featureLimit, getattr(value, "filterExpression", "")
    if not selected and limit < 0 and not expression:
        return None
    request = QgsFeatureRequest()
    if selected:
        request.setFilterFids(layer.selectedFeatureIds())
    if expression:
        # A request has one filter only, either ids or an expression.
        if selected:
            _within(request, layer, expression)
        else:
            request.setFilterExpression(expression)
    if limit >= 0:
        request.setLimit(limit)
    return request


def _within(request, layer, expression):
    """Narrow a request for selected rows to those that an expression is true of."""
    chosen = QgsFeatureRequest().setFilterExpression(expression)
    fitting = {row.id() for row in layer.getFeatures(chosen.setFlags(QgsFeatureRequest.Flag.NoGeometry))}
    request.setFilterFids([fid for fid in layer.selectedFeatureIds() if fid in fitting])


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


def nothing_in(algorithm, name, parameters, context):
    """The message for a layer of which no feature would be evaluated, or None."""
    layer = layer_of(algorithm, name, parameters, context)
    if layer is None or not layer.isValid():
        return None
    request = request_of(parameters.get(name), layer)
    flags = QgsFeatureRequest.Flag.NoGeometry
    first = QgsFeatureRequest(request) if request is not None else QgsFeatureRequest()
    if first.limit() != 0:
        first.setLimit(1)
    if next(layer.getFeatures(first.setFlags(flags)), None) is not None:
        return None
    title = algorithm.parameterDefinition(name).description()
    if request is None and not layer.subsetString():
        return f'The layer "{layer.name()}" ({title}) has no features; choose another layer'
    return (
        f'No feature of the layer "{layer.name()}" ({title}) is chosen; check its selection, its filter and the '
        f"limit of features"
    )


def same_rows(algorithm, first, second, parameters, context):
    """Whether two parameters name the same features of the same data."""
    layers = [layer_of(algorithm, name, parameters, context) for name in (first, second)]
    if any(layer is None or not layer.isValid() for layer in layers):
        return False
    if layers[0].id() != layers[1].id() and (
        layers[0].source() != layers[1].source() or layers[0].providerType() == "memory"
    ):
        return False
    return _choice(parameters.get(first), layers[0]) == _choice(parameters.get(second), layers[1])


def _choice(value, layer):
    """What tells which rows of a layer a parameter means."""
    request = request_of(value, layer)
    if request is None:
        return layer.subsetString(), None
    chosen = request.filterExpression().expression() if request.filterExpression() is not None else ""
    return layer.subsetString(), (sorted(request.filterFids()), chosen, request.limit())


def crs_text(crs):
    """A CRS as text that the engine can read: its EPSG code if it has one."""
    return (
        crs.authid()
        if crs.authid().startswith("EPSG:")
        else crs.toWkt(QgsCoordinateReferenceSystem.WktVariant.WKT_PREFERRED)
    )


def _needs_copy(layer):
    """Whether the rows that QGIS shows differ from those in the file."""
    return layer.providerType() != "ogr" or bool(layer.subsetString()) or layer.isModified()


def _source(layer):
    """Where the rows of a layer are from: a file, or else only its name, because addresses hold passwords."""
    if layer.providerType() != "ogr":
        return layer.name()
    path = QgsProviderRegistry.instance().decodeUri("ogr", layer.source()).get("path", "")
    return layer.source() if Path(path).exists() else layer.name()


def _suffix(layer):
    """Suffix of the file behind a layer, or an empty string."""
    if layer.providerType() != "ogr":
        return ""
    path = QgsProviderRegistry.instance().decodeUri("ogr", layer.source()).get("path", "")
    if path.startswith("/vsi"):
        return ""
    return Path(path).suffix.lower().lstrip(".")
