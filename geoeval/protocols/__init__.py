"""Other people's rulers, reproduced: published scores from published files, with every quirk stated.

Each protocol is one module that declares itself as ``PROTOCOL``; :mod:`geoeval.protocols.registry` lists them. They are
for comparison with published numbers; the metrics of :mod:`geoeval.roads` say more of a map.
"""
