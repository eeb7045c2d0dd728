"""FarmHash's 64-bit fingerprint, which BigQuery's FARM_FINGERPRINT computes and DuckDB lacks.

A fixed, published algorithm (github.com/google/farmhash, farmhashna::Hash64; MIT licence). Names of
functions and constants follow it.
"""

from struct import unpack_from

_MASK = (1 << 64) - 1
_K0, _K1, _K2 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273, 0x9AE16A3B2F90404F
_SEED = 81
# The name of the function in DuckDB.
NAME = "farm_fingerprint"
_Pair = tuple[int, int]


def farm_fingerprint(text: str) -> int:
    """The fingerprint of a text's UTF-8 bytes, as BigQuery's signed 64-bit integer.

    The values are those of BigQuery's reference:

    >>> farm_fingerprint("1footrue"), farm_fingerprint("2applefalse"), farm_fingerprint("3true")
    (-1541654101129638711, 2794438866806483259, -4880158226897771312)
    """
    unsigned = fingerprint64(text.encode())
    return unsigned - (1 << 64) if unsigned >> 63 else unsigned


def fingerprint64(data: bytes) -> int:
    """The unsigned fingerprint of bytes."""
    if len(data) <= 16:
        return _up_to_16(data)
    if len(data) <= 32:
        return _17_to_32(data)
    return _33_to_64(data) if len(data) <= 64 else _longer(data)


def _up_to_16(data: bytes) -> int:
    size = len(data)
    if size >= 8:
        mul = _K2 + size * 2
        a, b = _word(data, 0) + _K2, _word(data, size - 8)
        c = _rotated(b, 37) * mul + a
        d = (_rotated(a, 25) + b) * mul
        return _hashed(c, d, mul)
    if size >= 4:
        mul = _K2 + size * 2
        return _hashed(size + (_half(data, 0) << 3), _half(data, size - 4), mul)
    if size == 0:
        return _K2
    y = data[0] + (data[size >> 1] << 8)
    z = size + (data[-1] << 2)
    return _mixed(y * _K2 ^ z * _K0) * _K2 & _MASK


def _17_to_32(data: bytes) -> int:
    size = len(data)
    mul = _K2 + size * 2
    a, b = _word(data, 0) * _K1, _word(data, 8)
    c, d = _word(data, size - 8) * mul, _word(data, size - 16) * _K2
    first = _rotated(a + b, 43) + _rotated(c, 30) + d
    return _hashed(first, a + _rotated(b + _K2, 18) + c, mul)


def _33_to_64(data: bytes) -> int:
    size = len(data)
    mul = _K2 + size * 2
    a, b = _word(data, 0) * _K2, _word(data, 8)
    c, d = _word(data, size - 8) * mul, _word(data, size - 16) * _K2
    y = _rotated(a + b, 43) + _rotated(c, 30) + d
    z = _hashed(y, a + _rotated(b + _K2, 18) + c, mul)
    e, f = _word(data, 16) * mul, _word(data, 24)
    g, h = (y + _word(data, size - 32)) * mul, (z + _word(data, size - 24)) * mul
    first = _rotated(e + f, 43) + _rotated(g, 30) + h
    return _hashed(first, e + _rotated(f + a, 18) + g, mul)


def _longer(data: bytes) -> int:
    x = _SEED
    y = (_SEED * _K1 + 113) & _MASK
    z = _mixed(y * _K2 + 113) * _K2
    v, w = (0, 0), (0, 0)
    x = x * _K2 + _word(data, 0)
    end = (len(data) - 1) // 64 * 64
    for at in range(0, end, 64):
        x = _rotated(x + y + v[0] + _word(data, at + 8), 37) * _K1
        y = _rotated(y + v[1] + _word(data, at + 48), 42) * _K1
        x = (x ^ w[1]) & _MASK
        y += v[0] + _word(data, at + 40)
        z = _rotated(z + w[0], 33) * _K1
        v = _weak(data, at, v[1] * _K1, x + w[0])
        w = _weak(data, at + 32, z + w[1], y + _word(data, at + 16))
        z, x = x, z
    mul = _K1 + ((z & 0xFF) << 1)
    at = len(data) - 64
    w = (w[0] + (len(data) - 1 & 63), w[1])
    v = (v[0] + w[0], v[1])
    w = (w[0] + v[0], w[1])
    x = _rotated(x + y + v[0] + _word(data, at + 8), 37) * mul
    y = _rotated(y + v[1] + _word(data, at + 48), 42) * mul
    x = (x ^ w[1] * 9) & _MASK
    y += v[0] * 9 + _word(data, at + 40)
    z = _rotated(z + w[0], 33) * mul
    v = _weak(data, at, v[1] * mul, x + w[0])
    w = _weak(data, at + 32, z + w[1], y + _word(data, at + 16))
    z, x = x, z
    first = _hashed(v[0], w[0], mul) + _mixed(y) * _K0 + z
    return _hashed(first, _hashed(v[1], w[1], mul) + x, mul)


def _weak(data: bytes, at: int, a: int, b: int) -> _Pair:
    """WeakHashLen32WithSeeds of 32 bytes."""
    w, x, y, z = unpack_from("<4Q", data, at)
    a += w
    b = _rotated(b + a + z, 21)
    c = a
    a += x + y
    b += _rotated(a, 44)
    return (a + z) & _MASK, (b + c) & _MASK


def _hashed(u: int, v: int, mul: int) -> int:
    """HashLen16."""
    u, v = u & _MASK, v & _MASK
    a = (u ^ v) * mul & _MASK
    a ^= a >> 47
    b = (v ^ a) * mul & _MASK
    b ^= b >> 47
    return b * mul & _MASK


def _mixed(value: int) -> int:
    """ShiftMix."""
    value &= _MASK
    return value ^ value >> 47


def _rotated(value: int, by: int) -> int:
    value &= _MASK
    return (value >> by | value << 64 - by) & _MASK


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 8], "little")


def _half(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")
