"""Carrying out edits: a prediction step by step becomes the reference.

An edit takes parts of the prediction away and puts parts of the reference in. ``patches`` shares both networks out
among the edits, ``joining`` finds where what is put in meets what stays, ``carrying_out`` makes the network, and
``gains`` measures what each edit brings.
"""
