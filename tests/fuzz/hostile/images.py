"""Images that unpack to gigabytes."""

import struct
import zlib

import numpy as np

from tests.fuzz.hostile.row import hostile


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(path, width, height, bits):
    row = b"\x00" + b"\xff" * (width * bits // 8)
    packer = zlib.compressobj(9)
    data = b"".join(packer.compress(row * 100) for _ in range(height // 100)) + packer.flush()
    head = struct.pack(">IIBBBBB", width, height, bits, 0, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", head) + png_chunk(b"IDAT", data) + png_chunk(b"IEND", b"")
    )


@hostile("bomb.png", "roads", "pixels.*limits.{1,2}(pixels|expansion)=")
def png_bomb(path, _):
    _png(path, 24_000, 24_000, 1)


@hostile("bomb8.png", "objects", "pixels.*limits.{1,2}expansion=")
def png_bomb_below_the_limit_of_pixels(path, _):
    _png(path, 9_000, 9_000, 8)


@hostile("bomb.tif", "roads", "pixels.*limits.{1,2}(pixels|expansion)=")
def tiff_bomb(path, _):
    import rasterio

    place = {"crs": "EPSG:32632", "transform": rasterio.Affine(1, 0, 5e5, 0, -1, 5e6)}
    shape = {"width": 40_000, "height": 40_000, "count": 1, "dtype": "uint8", **place}
    with rasterio.open(path, "w", driver="GTiff", compress="DEFLATE", SPARSE_OK=True, tiled=True, **shape) as image:
        image.write(np.ones((1, 256, 256), dtype=np.uint8), window=((0, 256), (0, 256)))


@hostile("image.vrt", "roads", "virtual file.*links.{1,2}follow")
def raster_vrt(path, address):
    path.write_text(
        '<VRTDataset rasterXSize="9" rasterYSize="9"><VRTRasterBand dataType="Byte" band="1"><SimpleSource>'
        f"<SourceFilename>/vsicurl/{address}.tif</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>"
    )


def _checkerboard(path):
    rows = [
        b"\x00" + (np.arange(3000) % 2 ^ start).astype(np.uint8).tobytes().replace(b"\x01", b"\xff") for start in (0, 1)
    ]
    head = struct.pack(">IIBBBBB", 3000, 3000, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(b"".join(rows) * 1500, 9)), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*one) for one in chunks))


@hostile("chess.png", "objects", "bytes of outlines.*limits.{1,2}expansion=")
def png_of_millions_of_objects(path, _):
    _checkerboard(path)


@hostile("chess.png", "roads", "bytes of lines.*limits.{1,2}expansion=")
def png_of_millions_of_roads(path, _):
    _checkerboard(path)


@hostile("head.png", "roads", "cannot be read as an image|pixels")
def png_that_claims_to_be_endless(path, _):
    head = struct.pack(">IIBBBBB", 2**31 - 1, 2**31 - 1, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(72))), (b"IEND", b"")]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(png_chunk(*one) for one in chunks))
