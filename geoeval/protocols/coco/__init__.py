"""How papers on buildings score: COCO's AP and AR, boundary AP, and the scripts of polygon papers, all in pixels."""
