"""Pairs and the lists made of them, dictionaries, tuples, vectors, and comparison."""

from __future__ import annotations

from typing import Callable, Iterable

from .values import (
    PMT_F,
    PMT_NIL,
    Complex,
    Dict,
    Integer,
    Null,
    Pair,
    Real,
    Tuple,
    Uint64,
    Uniform,
    Vector,
    chain,
    deeper,
    need,
    out_of_range,
    pmt_base,
    size,
    wrong_type,
)

# Comparison.


def eq(x: pmt_base, y: pmt_base) -> bool:
    """Whether they are the same object."""
    need("eq", x, y)
    return x is y


def eqv(x: pmt_base, y: pmt_base) -> bool:
    """Whether they are the same object, or numbers of the same type and value."""
    need("eqv", x, y)
    return _eqv(x, y)


def _eqv(x: pmt_base, y: pmt_base) -> bool:
    if x is y:
        return True
    return type(x) is type(y) and isinstance(x, (Integer, Uint64, Real, Complex)) and x.value == y.value  # type: ignore


def equal(x: pmt_base, y: pmt_base) -> bool:
    """Whether they have the same structure and the same values.

    A dictionary equals the list of its pairs, and another dictionary with the same entries in any order: those of messages that library
    blocks give are sorted. Uniform vectors are equal where their lengths and their bytes are, as in
    GNU Radio: one of s8 can equal one of u8.
    """
    need("equal", x, y)
    return _equal(x, y, 0)


def _equal(x: pmt_base, y: pmt_base, depth: int) -> bool:
    if _eqv(x, y):
        return True
    if isinstance(x, Dict) and isinstance(y, Dict):
        depth = deeper(depth)
        first, second = ([pair.car for pair in chain(entries)] for entries in (x, y))
        if len(first) != len(second):
            return False
        for entry in first:
            at = next((place for place, other in enumerate(second) if _equal(entry, other, depth)), None)
            if at is None:
                return False
            del second[at]
        return True
    if isinstance(x, Pair) and isinstance(y, Pair):
        depth = deeper(depth)
        for a, b in zip(chain(x), chain(y)):
            if not _equal(a.car, b.car, depth):
                return False
            x, y = a.cdr, b.cdr
        return _equal(x, y, depth) if not (isinstance(x, Pair) or isinstance(y, Pair)) else False
    if isinstance(x, (Vector, Tuple)) and type(x) is type(y):
        depth = deeper(depth)
        return len(x.items) == len(y.items) and all(_equal(a, b, depth) for a, b in zip(x.items, y.items))  # type: ignore
    if isinstance(x, Uniform) and isinstance(y, Uniform):
        return len(x.array) == len(y.array) and x.array.tobytes() == y.array.tobytes()
    return False


# Pairs.


def is_pair(obj: pmt_base) -> bool:
    """Whether it is a pair; lists that are not empty and dictionaries that are not are pairs."""
    need("is_pair", obj)
    return isinstance(obj, Pair)


def cons(x: pmt_base, y: pmt_base) -> pmt_base:
    """A new pair."""
    need("cons", x, y)
    return Pair(x, y)


def dcons(x: pmt_base, y: pmt_base) -> pmt_base:
    """The dictionary `y` with the pair `x` of a key and a value before its entries."""
    need("dcons", x, y)
    if not isinstance(x, Pair):
        raise wrong_type("pmt_dcons: not a pair", x)
    if not is_dict(y):
        raise wrong_type("pmt_dcons: not a dict", y)
    return Dict(x, y)


def _pair(where: str, pair: pmt_base) -> Pair:
    need(where, pair)
    if not isinstance(pair, Pair):
        raise wrong_type(f"pmt_{where}", pair)
    return pair


def car(pair: pmt_base) -> pmt_base:
    """The first of a pair: a list's first item."""
    return _pair("car", pair).car


def cdr(pair: pmt_base) -> pmt_base:
    """The second of a pair: a list without its first item."""
    return _pair("cdr", pair).cdr


def set_car(pair: pmt_base, value: pmt_base) -> None:
    """Changes the first of a pair."""
    need("set_car", value)
    _pair("set_car", pair).car = value


def set_cdr(pair: pmt_base, value: pmt_base) -> None:
    """Changes the second of a pair."""
    need("set_cdr", value)
    _pair("set_cdr", pair).cdr = value


def caar(pair: pmt_base) -> pmt_base:
    """`car(car(pair))`."""
    return car(car(pair))


def cadr(pair: pmt_base) -> pmt_base:
    """`car(cdr(pair))`: a list's second item."""
    return car(cdr(pair))


def cdar(pair: pmt_base) -> pmt_base:
    """`cdr(car(pair))`."""
    return cdr(car(pair))


def cddr(pair: pmt_base) -> pmt_base:
    """`cdr(cdr(pair))`."""
    return cdr(cdr(pair))


def caddr(pair: pmt_base) -> pmt_base:
    """A list's third item."""
    return car(cdr(cdr(pair)))


def cadddr(pair: pmt_base) -> pmt_base:
    """A list's fourth item."""
    return car(cdr(cdr(cdr(pair))))


# Lists.


def make_list(items: Iterable[pmt_base], end: pmt_base = PMT_NIL) -> pmt_base:
    """A list of the items, with an end that is none where it is given."""
    for item in reversed(list(items)):
        end = Pair(item, end)
    return end


def _list(where: str, items: tuple[pmt_base, ...]) -> pmt_base:
    need(where, *items)
    return make_list(items)


def list1(x1: pmt_base) -> pmt_base:
    """A list of one item."""
    return _list("list1", (x1,))


def list2(x1: pmt_base, x2: pmt_base) -> pmt_base:
    """A list of two items."""
    return _list("list2", (x1, x2))


def list3(x1: pmt_base, x2: pmt_base, x3: pmt_base) -> pmt_base:
    """A list of three items."""
    return _list("list3", (x1, x2, x3))


def list4(x1: pmt_base, x2: pmt_base, x3: pmt_base, x4: pmt_base) -> pmt_base:
    """A list of four items."""
    return _list("list4", (x1, x2, x3, x4))


def list5(x1: pmt_base, x2: pmt_base, x3: pmt_base, x4: pmt_base, x5: pmt_base) -> pmt_base:
    """A list of five items."""
    return _list("list5", (x1, x2, x3, x4, x5))


def list6(x1: pmt_base, x2: pmt_base, x3: pmt_base, x4: pmt_base, x5: pmt_base, x6: pmt_base) -> pmt_base:
    """A list of six items."""
    return _list("list6", (x1, x2, x3, x4, x5, x6))


def length(v: pmt_base) -> int:
    """How many items a list, dictionary, vector, uniform vector or tuple has."""
    need("length", v)
    if isinstance(v, (Vector, Tuple)):
        return len(v.items)
    if isinstance(v, Uniform):
        return len(v.array)
    count, end = 0, v
    for node in chain(v):
        count, end = count + 1, node.cdr
    if not isinstance(end, Null):
        raise wrong_type("pmt_length", v)
    return count


def nthcdr(n: int, list: pmt_base) -> pmt_base:
    """The list without its first `n` items; `PMT_NIL` where it has no more."""
    need("nthcdr", list)
    n = size("nthcdr", n)
    if not isinstance(list, (Pair, Null)):
        raise wrong_type("pmt_nthcdr", list)
    while n and isinstance(list, Pair):
        n, list = n - 1, list.cdr
    if n and not isinstance(list, Null):
        raise wrong_type("pmt_nthcdr: not a LIST", list)
    return list


def nth(n: int, list: pmt_base) -> pmt_base:
    """Item `n` of a list, counted from 0; `PMT_NIL` where there is none."""
    rest = nthcdr(n, list)
    return rest.car if isinstance(rest, Pair) else PMT_NIL


def reverse(list: pmt_base) -> pmt_base:
    """The list from its end to its start; a dictionary's reverse is a dictionary."""
    need("reverse", list)
    make = Dict if isinstance(list, Dict) else Pair
    result: pmt_base = PMT_NIL
    end = list
    for node in chain(list):
        result, end = make(node.car, result), node.cdr
    if not isinstance(end, Null):
        raise wrong_type("pmt_reverse", list)
    return result


def reverse_x(list: pmt_base) -> pmt_base:
    """The same as `reverse`."""
    return reverse(list)


def list_add(list: pmt_base, item: pmt_base) -> pmt_base:
    """A new list with the item at the end."""
    need("list_add", item)
    return reverse(Pair(item, reverse(list)))


def list_rm(list: pmt_base, item: pmt_base) -> pmt_base:
    """A new list without the items that equal `item`."""
    need("list_rm", list, item)
    kept, end = [], list
    for node in chain(list):
        end = node.cdr
        if not _equal(node.car, item, 0):
            kept.append(node.car)
    return make_list(kept, end)


def list_has(list: pmt_base, item: pmt_base) -> bool:
    """Whether an item of the list equals `item`."""
    need("list_has", list, item)
    end = list
    for node in chain(list):
        end = node.cdr
        if _equal(node.car, item, 0):
            return True
    if not isinstance(end, Null):
        raise out_of_range("list contains invalid format!")
    return False


def map(proc: Callable[[pmt_base], pmt_base], list: pmt_base) -> pmt_base:
    """The list of what `proc` gives for each item."""
    need("map", list)
    results = [proc(node.car) for node in chain(list)]
    need("map", *results)
    return make_list(results)


def _member(x: pmt_base, list: pmt_base, same: Callable[[pmt_base, pmt_base], bool]) -> pmt_base:
    need("member", x, list)
    return next((node for node in chain(list) if same(x, node.car)), PMT_F)


def memq(obj: pmt_base, list: pmt_base) -> pmt_base:
    """The list from the first item on that is `obj` itself, or `PMT_F`."""
    return _member(obj, list, eq)


def memv(obj: pmt_base, list: pmt_base) -> pmt_base:
    """The list from the first item on that is `eqv` to `obj`, or `PMT_F`."""
    return _member(obj, list, _eqv)


def member(obj: pmt_base, list: pmt_base) -> pmt_base:
    """The list from the first item on that equals `obj`, or `PMT_F`."""
    return _member(obj, list, equal)


def subsetp(list1: pmt_base, list2: pmt_base) -> bool:
    """Whether each item of the first list is `eqv` to one of the second."""
    need("subsetp", list1, list2)
    return all(memv(node.car, list2) is not PMT_F for node in chain(list1))


def _associated(key: pmt_base, alist: pmt_base, same: Callable[[pmt_base, pmt_base], bool]) -> pmt_base:
    need("assoc", key, alist)
    for node in chain(alist):
        if not isinstance(node.car, Pair):
            return PMT_F
        if same(node.car.car, key):
            return node.car
    return PMT_F


def assq(obj: pmt_base, alist: pmt_base) -> pmt_base:
    """The first pair of a list of pairs whose first is `obj` itself, or `PMT_F`."""
    return _associated(obj, alist, eq)


def assv(obj: pmt_base, alist: pmt_base) -> pmt_base:
    """The first pair of a list of pairs whose first is `eqv` to `obj`, or `PMT_F`."""
    return _associated(obj, alist, _eqv)


def assoc(obj: pmt_base, alist: pmt_base) -> pmt_base:
    """The first pair of a list of pairs whose first equals `obj`, or `PMT_F`."""
    return _associated(obj, alist, equal)


def acons(x: pmt_base, y: pmt_base, a: pmt_base) -> pmt_base:
    """The dictionary `a` with the key `x` and the value `y` before its entries."""
    return dcons(cons(x, y), a)


# Dictionaries: lists of pairs, compared by `eqv`, the newest entry first.


def is_dict(obj: pmt_base) -> bool:
    """Whether it is a dictionary; the empty list is one."""
    need("is_dict", obj)
    return isinstance(obj, (Dict, Null))


def make_dict() -> pmt_base:
    """The empty dictionary."""
    return PMT_NIL


def dict_add(dict: pmt_base, key: pmt_base, value: pmt_base) -> pmt_base:
    """A new dictionary with this entry first, and without an older one of the same key."""
    need("dict_add", dict, key, value)
    if isinstance(_associated(key, dict, _eqv), Pair):
        dict = dict_delete(dict, key)
    return dcons(Pair(key, value), dict)


def dict_delete(dict: pmt_base, key: pmt_base) -> pmt_base:
    """A new dictionary without the first entry of this key."""
    need("dict_delete", dict, key)
    kept, end = [], dict
    for node in chain(dict):
        end = node.cdr
        if _eqv(car(node.car), key):
            break
        kept.append(node.car)
    else:
        if not isinstance(end, Null):
            raise wrong_type("pmt_car", end)
    for pair in reversed(kept):
        end = dcons(pair, end)
    return end


def dict_has_key(dict: pmt_base, key: pmt_base) -> bool:
    """Whether there is an entry of this key."""
    return isinstance(assv(key, dict), Pair)


def dict_ref(dict: pmt_base, key: pmt_base, not_found: pmt_base) -> pmt_base:
    """The value of this key, or `not_found`."""
    need("dict_ref", not_found)
    entry = assv(key, dict)
    return entry.cdr if isinstance(entry, Pair) else not_found


def dict_items(dict: pmt_base) -> pmt_base:
    """The entries as pairs of key and value: the dictionary itself."""
    if not is_dict(dict):
        raise wrong_type("pmt_dict_items", dict)
    return dict


def dict_keys(dict: pmt_base) -> pmt_base:
    """The list of the keys, the newest first."""
    if not is_dict(dict):
        raise wrong_type("pmt_dict_keys", dict)
    return map(car, dict)


def dict_values(dict: pmt_base) -> pmt_base:
    """The list of the values, the newest first."""
    if not is_dict(dict):
        raise wrong_type("pmt_dict_values", dict)
    return map(cdr, dict)


def dict_update(dict1: pmt_base, dict2: pmt_base) -> pmt_base:
    """The first dictionary with the entries of the second added to it in their order."""
    need("dict_update", dict1)
    if not is_dict(dict2):
        raise wrong_type("pmt_dict_keys", dict2)
    for node in chain(dict2):
        dict1 = dict_add(dict1, car(node.car), cdr(node.car))
    return dict1


# Tuples and vectors.


def is_tuple(x: pmt_base) -> bool:
    """Whether it is a tuple."""
    need("is_tuple", x)
    return isinstance(x, Tuple)


def make_tuple(*items: pmt_base) -> pmt_base:
    """A tuple of these items; GNU Radio takes ten at most."""
    need("make_tuple", *items)
    return Tuple(items)


def to_tuple(x: pmt_base) -> pmt_base:
    """A tuple of the items of a list, a vector or a tuple; not of the empty list."""
    need("to_tuple", x)
    if isinstance(x, Tuple):
        return x
    length(x)
    if isinstance(x, Vector):
        return Tuple(tuple(x.items))
    if isinstance(x, Pair):
        return Tuple(tuple(node.car for node in chain(x)))
    raise wrong_type("pmt_to_tuple", x)


def tuple_ref(tuple: pmt_base, k: int) -> pmt_base:
    """Item `k` of a tuple, counted from 0."""
    need("tuple_ref", tuple)
    if not isinstance(tuple, Tuple):
        raise wrong_type("pmt_tuple_ref", tuple)
    return tuple.items[at("tuple_ref", k, len(tuple.items))]


def at(where: str, k: int, count: int) -> int:
    """The index `k` of `count` items; out_of_range where there is none."""
    k = size(where, k)
    if k >= count:
        raise out_of_range(f"pmt_{where}: out of range : {k}")
    return k


def is_vector(x: pmt_base) -> bool:
    """Whether it is a vector of PMTs; uniform vectors are none."""
    need("is_vector", x)
    return isinstance(x, Vector)


def make_vector(k: int, fill: pmt_base) -> pmt_base:
    """A vector of `k` items, which are all `fill`."""
    need("make_vector", fill)
    return Vector([fill] * size("make_vector", k))


def _vector(where: str, vector: pmt_base) -> list[pmt_base]:
    need(where, vector)
    if not isinstance(vector, Vector):
        raise wrong_type(f"pmt_{where}", vector)
    return vector.items


def vector_ref(vector: pmt_base, k: int) -> pmt_base:
    """Item `k` of a vector, counted from 0."""
    items = _vector("vector_ref", vector)
    return items[at("vector_ref", k, len(items))]


def vector_set(vector: pmt_base, k: int, obj: pmt_base) -> None:
    """Changes item `k` of a vector."""
    need("vector_set", obj)
    items = _vector("vector_set", vector)
    items[at("vector_set", k, len(items))] = obj


def vector_fill(vector: pmt_base, fill: pmt_base) -> None:
    """Makes all items of a vector `fill`."""
    need("vector_fill", fill)
    items = _vector("vector_fill", vector)
    items[:] = [fill] * len(items)
