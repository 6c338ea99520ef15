"""The panel in which the errors of a run are judged one by one."""
