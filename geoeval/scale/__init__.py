"""Networks beyond memory: stores that are read by place, tiles with halos, and the engines that run them."""
