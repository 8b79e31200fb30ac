"""Runs an example whose torchvision does not load beside a CPU build of torch: EXAMPLE ARGUMENT..."""

import runpy
import sys

from tbprof.demo.torchvision_import import import_torchvision

import_torchvision()
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
