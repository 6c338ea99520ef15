"""What geoeval does when disks, folders, limits, clusters and clocks fail, and when it is killed."""
