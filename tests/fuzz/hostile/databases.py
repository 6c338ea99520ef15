"""Databases whose author wrote queries into them."""

import sqlite3
import zipfile

from tests.fuzz.hostile.row import hostile


def geopackage(path, view):
    import geopandas as gpd
    from shapely.geometry import LineString

    frame = gpd.GeoDataFrame(geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])], crs=4326)
    frame.to_file(path, layer="real")
    database = sqlite3.connect(path)
    database.execute(f"CREATE VIEW roads AS {view}")
    database.execute("DROP TRIGGER IF EXISTS gpkg_x")
    for table in ("gpkg_contents", "gpkg_geometry_columns"):
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        chosen = ",".join("'roads'" if name in {"table_name", "identifier"} else name for name in columns)
        database.execute(f"INSERT INTO {table} SELECT {chosen} FROM {table} WHERE table_name='real'")
        database.execute(f"DELETE FROM {table} WHERE table_name='real'")
    database.execute("DELETE FROM gpkg_extensions")
    database.execute("DELETE FROM gpkg_ogr_contents")
    database.commit()
    database.close()


@hostile("view.gpkg", "roads", "is a query.*links.{1,2}follow")
def geopackage_with_an_endless_view(path, _):
    endless = "WITH RECURSIVE n(fid) AS (SELECT 1 UNION ALL SELECT fid + 1 FROM n) SELECT n.fid, real.geom FROM n, real"
    geopackage(path, endless)


@hostile("geocode.gpkg", "roads", "is a query.*links.{1,2}follow|without your consent")
def geopackage_view_that_asks_the_network(path, _):
    geopackage(path, "SELECT fid, ogr_geocode('Heidelberg') AS place, geom FROM real")


@hostile("packed.zip", "roads", "is a query.*links.{1,2}follow")
def geopackage_view_in_an_archive(path, _):
    inner = path.with_suffix(".gpkg")
    geopackage(inner, "SELECT fid, geom FROM real")
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(inner, "layer.gpkg")
    inner.unlink()


_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT x.* FROM n, x WHERE n.i < 0"


def _replaced(path, table, driver="GPKG"):
    """A database of roads in which a table of its catalogue is an endless query."""
    import geopandas as gpd
    from shapely.geometry import LineString

    frame = gpd.GeoDataFrame(geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])], crs=4326)
    frame.to_file(path, layer="roads", driver=driver)
    database = sqlite3.connect(path)
    database.execute(f"ALTER TABLE {table} RENAME TO x")
    database.execute(f"CREATE VIEW {table} AS {_ENDLESS}")
    database.commit()
    database.close()


@hostile("contents.gpkg", "roads", "is a query.*links.{1,2}follow")
def geopackage_whose_list_of_layers_is_endless(path, _):
    _replaced(path, "gpkg_contents")


@hostile("contents.gpkg", "area", "is a query.*links.{1,2}follow")
def area_whose_list_of_layers_is_endless(path, _):
    _replaced(path, "gpkg_contents")


@hostile("crs.gpkg", "objects", "is a query.*links.{1,2}follow")
def geopackage_whose_list_of_crss_is_endless(path, _):
    _replaced(path, "gpkg_spatial_ref_sys")


@hostile("columns.sqlite", "roads", "is a query.*links.{1,2}follow")
def sqlite_whose_list_of_geometries_is_endless(path, _):
    _replaced(path, "geometry_columns", driver="SQLite")


@hostile("computed.gpkg", "lines", "has computed columns.*links.{1,2}follow")
def geopackage_whose_column_is_a_gigabyte(path, _):
    import geopandas as gpd
    from shapely.geometry import LineString

    frame = gpd.GeoDataFrame(geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])], crs=4326)
    frame.to_file(path, layer="roads")
    database = sqlite3.connect(path)
    database.execute("ALTER TABLE roads ADD COLUMN style TEXT GENERATED ALWAYS AS (hex(zeroblob(490000000))) VIRTUAL")
    database.commit()
    database.close()


@hostile("packed.zip", "roads", "is a query.*links.{1,2}follow")
def geopackage_with_another_name_in_an_archive(path, _):
    inner = path.with_suffix(".gpkg")
    geopackage(inner, "SELECT fid, geom FROM real")
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(inner, "layer.geojson")
    inner.unlink()


@hostile("trigger.gpkg", "roads", "")
def geopackage_with_a_trigger(path, _):
    import geopandas as gpd
    from shapely.geometry import LineString

    frame = gpd.GeoDataFrame(geometry=[LineString([(8.6, 49.4), (8.61, 49.41)])], crs=4326)
    frame.to_file(path, layer="roads")
    database = sqlite3.connect(path)
    database.execute("CREATE TRIGGER t AFTER UPDATE ON gpkg_contents BEGIN DELETE FROM roads; END")
    database.commit()
    database.close()
