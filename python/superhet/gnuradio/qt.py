"""Stand-ins for `PyQt5` and `sip`, so that scripts with windows run without one.

Widgets take what they are told and show nothing. Those that a user would move are controls: `controls()` has them, and what is set
there reaches the script as if it had been moved. `QApplication.exec_` returns when every flowgraph has ended, or at `quit`.
"""

from __future__ import annotations

import functools
import sys
import time
import types
import weakref
from typing import Any, Callable

SIGNALS = (
    "aboutToQuit activated buttonClicked clicked currentIndexChanged editingFinished idClicked pressed released returnPressed "
    "sliderMoved stateChanged textChanged timeout toggled valueChanged"
).split()
"""Names of signals that scripts connect to."""

POLL_S = 0.05
"""How often `exec_` looks whether something has ended."""

_controls: list[Any] = []
_flowgraphs: "weakref.WeakSet[Any]" = weakref.WeakSet()


def controls() -> list[Any]:
    """The widgets that set something, in the order in which they were made. Each has a `label` and a method `set`."""
    return list(_controls)


def add_control(control: Any) -> None:
    """Adds a widget to `controls`."""
    _controls.append(control)


def add_flowgraph(top: Any) -> None:
    """Says that a flowgraph was started."""
    _flowgraphs.add(top)


class Anything:
    """A value of a window that is not there: it can be called, and has every attribute."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return Anything()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __iter__(self) -> Any:
        return iter(())

    def __int__(self) -> int:
        return 0

    def __index__(self) -> int:
        return 0

    def __float__(self) -> float:
        return 0.0

    def __str__(self) -> str:
        return ""

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __and__ = __rand__ = __add__ = __radd__ = __sub__ = __truediv__ = __mul__ = __or__


class Signal:
    """What a widget tells those who have connected to it."""

    def __init__(self, *types: Any, **named: Any) -> None:
        self._slots: list[Callable[..., Any]] = []

    def connect(self, slot: Callable[..., Any]) -> None:
        """Calls a function whenever it is emitted."""
        self._slots.append(slot)

    def disconnect(self, slot: Any = None) -> None:
        """Calls a function no more, or none."""
        self._slots = [] if slot is None else [known for known in self._slots if known != slot]

    def emit(self, *args: Any) -> None:
        """Calls all of them."""
        for slot in list(self._slots):
            slot(*args)

    def __getitem__(self, types: Any) -> "Signal":
        return self


class Widget:
    """A widget, a layout or any other object of Qt: its methods take everything and do nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in SIGNALS:
            made: Any = Signal()
            object.__setattr__(self, name, made)
            return made
        return Anything()


class Control(Widget):
    """A widget that sets something."""

    label = ""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.label = next((arg for arg in args if isinstance(arg, str)), "")
        add_control(self)

    def set(self, value: Any) -> None:
        """Moves it."""
        raise NotImplementedError


class QLineEdit(Control):
    """A line of text."""

    def __init__(self, text: Any = "", *args: Any) -> None:
        super().__init__()
        self._text = str(text) if isinstance(text, str) else ""

    def text(self) -> str:
        """What is in it."""
        return self._text

    def setText(self, text: Any) -> None:
        """Puts something in."""
        self._text = str(text)

    def set(self, value: Any) -> None:
        """Puts something in, as if return were pressed then."""
        self.setText(value)
        self.returnPressed.emit()
        self.editingFinished.emit()


class QComboBox(Control):
    """A choice."""

    def __init__(self, *args: Any) -> None:
        super().__init__()
        self._items: list[str] = []
        self._at = -1

    def addItem(self, text: Any, *data: Any) -> None:
        """Adds one to choose from."""
        self._items.append(str(text))

    def addItems(self, texts: Any) -> None:
        """Adds some to choose from."""
        for text in texts:
            self.addItem(text)

    def count(self) -> int:
        """How many there are."""
        return len(self._items)

    def currentIndex(self) -> int:
        """The place of the one that is chosen."""
        return self._at

    def currentText(self) -> str:
        """The one that is chosen."""
        return self._items[self._at] if 0 <= self._at < len(self._items) else ""

    def setCurrentIndex(self, index: int) -> None:
        """Chooses one by its place."""
        self._at = int(index)

    def set(self, value: Any) -> None:
        """Chooses one, by its place or its text."""
        self.setCurrentIndex(self._items.index(value) if isinstance(value, str) else value)
        self.currentIndexChanged.emit(self._at)


class QPushButton(Control):
    """A button."""

    def set(self, value: Any) -> None:
        """Presses it, or lets it go."""
        (self.pressed if value else self.released).emit()
        if value:
            self.clicked.emit(bool(value))


class QCheckBox(Control):
    """A box to check."""

    _is_checked = False

    def isChecked(self) -> bool:
        """Whether it is checked."""
        return self._is_checked

    def setChecked(self, value: Any) -> None:
        """Checks it, or not."""
        self._is_checked = bool(value)

    def set(self, value: Any) -> None:
        """Checks it, or not."""
        self.setChecked(value)
        self.stateChanged.emit(2 if value else 0)
        self.toggled.emit(bool(value))


class QButtonGroup(Control):
    """Buttons of which one is chosen."""

    def set(self, value: Any) -> None:
        """Chooses one by its number."""
        self.idClicked.emit(value)
        self.buttonClicked.emit(value)


class _Value(Control):
    """A number."""

    _value = 0

    def value(self) -> Any:
        """Where it is."""
        return self._value

    def setValue(self, value: Any) -> None:
        """Moves it, and tells nobody."""
        self._value = value

    def set(self, value: Any) -> None:
        """Moves it."""
        self.setValue(value)
        self.valueChanged.emit(value)


class QApplication(Widget):
    """The program: `exec_` waits for its flowgraphs."""

    _quits = False
    _made: "QApplication | None" = None

    def __init__(self, *args: Any) -> None:
        QApplication._quits, QApplication._made = False, self

    @staticmethod
    def exec_() -> int:
        """Waits until every flowgraph that was started has ended, or for `quit`."""
        while not QApplication._quits and any(top._is_running() for top in list(_flowgraphs)):
            time.sleep(POLL_S)
        return 0

    exec = exec_

    @staticmethod
    def quit(*args: Any) -> None:
        """Ends `exec_`."""
        QApplication._quits = True

    exit = quit

    @staticmethod
    def instance() -> "QApplication | None":
        """The program, once it was made."""
        return QApplication._made

    @staticmethod
    def processEvents(*args: Any) -> None:
        """There are none."""

    @staticmethod
    def setGraphicsSystem(*args: Any) -> None:
        """There is none."""


class QMetaObject:
    """Calls by name."""

    @staticmethod
    def invokeMethod(widget: Any, name: str, *args: Any) -> bool:
        """Calls a method of a widget with arguments that `Q_ARG` has made."""
        getattr(widget, name)(*(arg.value if isinstance(arg, _Argument) else arg for arg in args if not isinstance(arg, Anything)))
        return True


class _Argument:
    def __init__(self, kind: str, value: Any) -> None:
        self.value = value


def pyqtSlot(*types: Any, **named: Any) -> Any:
    """Marks a method."""
    return lambda function: function


def _widget(name: str) -> type:
    return type(name, (Widget,), {"__doc__": f"{name} of a window that is not there."})


NAMES: dict[str, Any] = {
    "PYQT_VERSION_STR": "5.15.0",
    "QT_VERSION_STR": "5.15.0",
    "QApplication": QApplication,
    "QButtonGroup": QButtonGroup,
    "QCheckBox": QCheckBox,
    "QComboBox": QComboBox,
    "QDial": type("QDial", (_Value,), {}),
    "QDoubleSpinBox": type("QDoubleSpinBox", (_Value,), {}),
    "QLineEdit": QLineEdit,
    "QMetaObject": QMetaObject,
    "QPushButton": QPushButton,
    "QRadioButton": type("QRadioButton", (QCheckBox,), {}),
    "QSlider": type("QSlider", (_Value,), {}),
    "QSpinBox": type("QSpinBox", (_Value,), {}),
    "Q_ARG": _Argument,
    "pyqtSignal": Signal,
    "pyqtSlot": pyqtSlot,
    "qVersion": lambda: "5.15.0",
}
"""What has a meaning without a window; any other name is a widget."""


class _QtModule(types.ModuleType):
    """A module of Qt: a name that begins with Q is a class of widgets, any other anything."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in NAMES:
            found = NAMES[name]
        else:
            found = _class(name) if name[:1] == "Q" and name[1:2].isupper() else Anything()
        setattr(self, name, found)
        return found


class _Class(type(Widget)):  # type: ignore[misc]
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()


@functools.cache
def _class(name: str) -> Any:
    # Of a class that scripts inherit from beside a flowgraph the attributes are plain ones, so that the metaclasses agree.
    kind = type if name in ("QWidget", "QMainWindow", "QObject", "QDialog", "QFrame", "QThread") else _Class
    extra = {"NoFrame": 0, "HLine": 4, "VLine": 5, "Sunken": 48, "Raised": 16} if name == "QFrame" else {}
    return kind(name, (Widget,), {"__doc__": f"{name} of a window that is not there.", **extra})


def modules() -> dict[str, types.ModuleType]:
    """The modules by the names that they are imported by; `packaging` and `distutils` only where they are not there."""
    found: dict[str, types.ModuleType] = {}
    package = _QtModule("PyQt5", "PyQt5 without windows.")
    package.__path__ = []  # type: ignore[attr-defined]
    found["PyQt5"] = package
    for name in ("Qt", "QtCore", "QtGui", "QtWidgets", "QtSvg", "sip"):
        inner = _QtModule(f"PyQt5.{name}", f"PyQt5.{name} without windows.")
        found[f"PyQt5.{name}"] = inner
        setattr(package, name, inner)
    sip = types.ModuleType("sip", "sip without windows.")
    for place in (sip, found["PyQt5.sip"]):
        place.wrapinstance = lambda address, kind: Widget()  # type: ignore[attr-defined]
        place.unwrapinstance = lambda widget: 0  # type: ignore[attr-defined]
        place.isdeleted = lambda widget: False  # type: ignore[attr-defined]
    found["sip"] = sip
    return found | _versions()


def _versions() -> dict[str, types.ModuleType]:
    """`packaging.version` and `distutils.version`, which Companion's scripts compare Qt's version by, where they are missing."""
    import importlib.util

    class Version:
        """A version of numbers with dots between them."""

        def __init__(self, text: str) -> None:
            self._parts = [int(part) for part in str(text).split(".") if part.isdigit()]

        def __lt__(self, other: Any) -> bool:
            return self._parts < other._parts

        def __le__(self, other: Any) -> bool:
            return self._parts <= other._parts

        def __eq__(self, other: Any) -> bool:
            return isinstance(other, Version) and self._parts == other._parts

        def __hash__(self) -> int:
            return hash(tuple(self._parts))

    found = {}
    for name in ("packaging", "distutils"):
        if name not in sys.modules and importlib.util.find_spec(name) is None:
            package, inner = types.ModuleType(name), types.ModuleType(f"{name}.version")
            package.__path__ = []  # type: ignore[attr-defined]
            for version in ("Version", "StrictVersion", "LooseVersion"):
                setattr(inner, version, Version)
            inner.parse = Version  # type: ignore[attr-defined]
            package.version = inner  # type: ignore[attr-defined]
            found |= {name: package, f"{name}.version": inner}
    return found
