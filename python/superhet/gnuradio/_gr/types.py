"""Types of items in PDUs: `gr.types`."""

from enum import IntEnum


class vector_type(IntEnum):
    """The type of the items of a uniform vector."""

    byte_t = 0
    short_t = 1
    int_t = 2
    float_t = 3
    complex_t = 4


byte_t = vector_type.byte_t
short_t = vector_type.short_t
int_t = vector_type.int_t
float_t = vector_type.float_t
complex_t = vector_type.complex_t
