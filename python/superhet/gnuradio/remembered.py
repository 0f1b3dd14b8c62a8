"""Settings of buffers, threads and processors, which blocks remember: superhet plans these itself."""

from __future__ import annotations

from typing import Any

from ._gr.constants import TPP_ALL_TO_ALL


def _remembers(name: str, what: str) -> Any:
    def setting(self: Any, *args: Any) -> None:
        # The last argument is the value; one before it names a port.
        self.__dict__.setdefault("_remembered_settings", {})[what] = args[-1]
        if what == "max_noutput_items":
            self.__dict__["_is_most_set"] = True

    setting.__name__ = name
    setting.__doc__ = f"Remembered for `{what}`, and changes nothing: superhet plans buffers and threads itself."
    return setting


def _remembered(name: str, default: Any) -> Any:
    def setting(self: Any, *args: Any) -> Any:
        return self.__dict__.get("_remembered_settings", {}).get(name, default)

    setting.__name__ = name
    setting.__doc__ = "What was set, or GNU Radio's default."
    return setting


def _nothing(name: str, *default: Any) -> Any:
    def setting(self: Any, *args: Any) -> Any:
        return default[0] if default else None

    setting.__name__ = name
    setting.__doc__ = "Taken, and changes nothing: superhet plans buffers and threads itself."
    return setting


def _of_streams(name: str, side: str) -> Any:
    def setting(self: Any, *args: Any) -> Any:
        signature = self.input_signature() if side == "input" else self.output_signature()
        return 0.0 if args else [0.0] * max(signature.max_streams(), 0)

    setting.__name__ = name
    setting.__doc__ = "No counts of buffers are kept: zero for each stream."
    return setting


def add_settings(kind: type) -> None:
    """Gives a class the methods that GNU Radio's blocks have for them."""
    for name in ("reset_perf_counters", "enable_update_rate"):
        setattr(kind, name, _nothing(name))
    for name, default in (
        ("is_unaligned", False),
        ("unaligned", 0),
        ("update_rate", False),
        ("is_pc_rpc_set", False),
        ("alignment", 1),
        ("active_thread_priority", 0),
        ("check_topology", True),
        ("output_multiple_set", False),
        ("pc_noutput_items", 0.0),
        ("pc_noutput_items_avg", 0.0),
        ("pc_nproduced", 0.0),
        ("pc_noutput_items_var", 0.0),
        ("pc_nproduced_avg", 0.0),
        ("pc_nproduced_var", 0.0),
        ("pc_work_time", 0.0),
        ("pc_work_time_avg", 0.0),
        ("pc_work_time_var", 0.0),
        ("pc_work_time_total", 0.0),
        ("pc_throughput_avg", 0.0),
    ):
        setattr(kind, name, _nothing(name, default))
    for side in ("input", "output"):
        for kind_of_number in ("", "_avg", "_var"):
            name = f"pc_{side}_buffers_full{kind_of_number}"
            setattr(kind, name, _of_streams(name, side))
    for names, default in (
        (("set_max_output_buffer", "max_output_buffer"), -1),
        (("set_min_output_buffer", "min_output_buffer"), -1),
        (("set_max_noutput_items", "max_noutput_items"), 0),
        (("set_min_noutput_items", "min_noutput_items"), 0),
        (("set_thread_priority", "thread_priority"), -1),
        (("set_processor_affinity", "processor_affinity"), []),
        (("set_log_level", "log_level"), "debug"),
        (("declare_sample_delay", "sample_delay"), 0),
        (("set_history", "history"), 1),
        (("set_output_multiple", "output_multiple"), 1),
        (("set_tag_propagation_policy", "tag_propagation_policy"), TPP_ALL_TO_ALL),
    ):
        setattr(kind, names[0], _remembers(*names))
        setattr(kind, names[1], _remembered(names[1], default))
