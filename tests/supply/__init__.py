"""What geoeval stands on: versions that are allowed, locked and licensed, and known to be sound."""
