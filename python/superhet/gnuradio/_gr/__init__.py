"""The parts of `gnuradio.gr` that need no running flowgraph: constants, tags, settings, signatures, loggers.

`gr_unittest`, `tag_utils` and `types` are modules, as in GNU Radio.
"""

from . import constants, gr_unittest, tag_utils, types
from .constants import *  # noqa: F403
from .fixed import fxpt, fxpt_nco, fxpt_vco
from .signature import io_signature, io_signature2, io_signature3, io_signaturev
from .loggers import dictionary_logger_backend, log, log_debug, log_levels, logger, logging
from .messages import message, message_from_string, msg_queue
from .names import metadata_keys, msgport_names
from .randoms import random, xoroshiro128p_prng
from .settings import prefs
from .tag_utils import PythonTag, python_to_tag, tag_t, tag_to_python

__all__ = [
    *constants.__all__,
    "PythonTag",
    "dictionary_logger_backend",
    "fxpt",
    "fxpt_nco",
    "fxpt_vco",
    "gr_unittest",
    "io_signature",
    "io_signature2",
    "io_signature3",
    "io_signaturev",
    "log",
    "log_debug",
    "log_levels",
    "logger",
    "logging",
    "message",
    "message_from_string",
    "metadata_keys",
    "msg_queue",
    "msgport_names",
    "prefs",
    "python_to_tag",
    "random",
    "tag_t",
    "tag_to_python",
    "tag_utils",
    "types",
    "xoroshiro128p_prng",
]
