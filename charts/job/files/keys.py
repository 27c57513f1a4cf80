"""Fill the Secret NAME with a new pair of ssh keys, Ed25519 of RFC 8032, unless it has one."""

import base64
import hashlib
import os
import struct

from api import ask, say

KIND = b"ssh-ed25519"
P = 2**255 - 19
D = -121665 * pow(121666, P - 2, P) % P
Y = 4 * pow(5, P - 2, P) % P
X = 15112221349535400772501151409588531511454012693041857206046113283949847762202
BASE = (X, Y, 1, X * Y % P)  # extended homogeneous coordinates


def main():
    path = "/api/v1/namespaces/%s/secrets/%s" % (os.environ["NAMESPACE"], os.environ["NAME"])
    secret = ask("GET", path)
    if "ssh-privatekey" in (secret.get("data") or {}):
        say("%s: has keys, which are kept" % os.environ["NAME"])
        return
    private, public = key_files(os.urandom(32), os.urandom(4))
    data = {"ssh-privatekey": encode(private), "ssh-publickey": encode(public)}
    # The version of the Secret is in it: if somebody else was faster, this fails and looks again.
    version = {"resourceVersion": secret["metadata"]["resourceVersion"]}
    ask("PATCH", path, {"metadata": version, "data": data})
    say("%s: has new keys" % os.environ["NAME"])


def key_files(seed, check):
    """A private key as OpenSSH keeps it in a file, and its public key; `check` is any 4 bytes."""
    public = public_key(seed)
    blob = field(KIND) + field(public)
    secret = check + check + blob + field(seed + public) + field(b"")
    secret += bytes(range(1, -len(secret) % 8 + 1))
    parts = [b"openssh-key-v1\0", field(b"none"), field(b"none"), field(b"")]
    parts += [struct.pack(">I", 1), field(blob), field(secret)]
    text = encode(b"".join(parts))
    lines = [text[start : start + 70] for start in range(0, len(text), 70)]
    mark = "-----%s OPENSSH PRIVATE KEY-----"
    file = "\n".join([mark % "BEGIN", *lines, mark % "END", ""])
    return file.encode(), KIND + b" " + encode(blob).encode() + b"\n"


def field(data):
    return struct.pack(">I", len(data)) + data


def encode(data):
    return base64.b64encode(data).decode()


def public_key(seed):
    number = int.from_bytes(hashlib.sha512(seed).digest()[:32], "little")
    number = number & ((1 << 254) - 8) | (1 << 254)
    point, power = (0, 1, 1, 0), BASE
    while number:
        if number & 1:
            point = add(point, power)
        power = add(power, power)
        number >>= 1
    inverse = pow(point[2], P - 2, P)
    x, y = point[0] * inverse % P, point[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def add(one, two):
    a = (one[1] - one[0]) * (two[1] - two[0]) % P
    b = (one[1] + one[0]) * (two[1] + two[0]) % P
    c, d = 2 * one[3] * two[3] * D % P, 2 * one[2] * two[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


if __name__ == "__main__":
    main()
