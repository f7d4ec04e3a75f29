"""The headers that every answer carries, errors included; each line has its reason."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; "
    "style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""Nothing but this server's own files; WebAssembly for Python, images drawn by the page itself, no inline
script or style, no form that could carry answers away, no frame around the page."""


def relay_policy(address: str) -> str:
    """The policy of the worker that sends the ballots of a survey over its relay; its page keeps its own.

    Parameters
    ----------
    address : str
        The one address that ballots are sent to. The specification allows no character in it that could end
        a directive.
    """
    return CONTENT_SECURITY_POLICY.replace("connect-src 'self'", f"connect-src 'self' {address}")


REPORT_POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'; sandbox"
)
"""A released report is one file with its own styles and pictures; it gets no script and no origin."""

_PERMISSIONS: Final = (
    "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "fullscreen", "geolocation",
    "gyroscope", "hid", "identity-credentials-get", "idle-detection", "local-fonts", "magnetometer",
    "microphone", "midi", "payment", "picture-in-picture", "publickey-credentials-get", "screen-wake-lock",
    "serial", "storage-access", "usb", "xr-spatial-tracking", "browsing-topics",
)  # fmt: skip

CAMERA_PERMISSIONS: Final = ", ".join(
    f"{name}=({'self' if name == 'camera' else ''})" for name in _PERMISSIONS
)
"""On pages that read a code with the camera, if their reader wants it; no frame inside them may."""

HEADERS: Final = MappingProxyType(
    {
        "Content-Security-Policy": CONTENT_SECURITY_POLICY,
        # The address of a survey page must not reach anybody else.
        "Referrer-Policy": "no-referrer",
        # A type is what it says: a submission is never run as a script.
        "X-Content-Type-Options": "nosniff",
        # No other page can hold a handle on this one, embed it, or read its resources.
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Origin-Agent-Cluster": "?1",
        "X-Frame-Options": "DENY",
        "Permissions-Policy": ", ".join(f"{name}=()" for name in _PERMISSIONS),
    }
)

NO_STORE: Final = "no-store"
IMMUTABLE: Final = "public, max-age=31536000, immutable"
"""For files whose name holds the hash of their bytes."""
STRICT_TRANSPORT: Final = "max-age=63072000"
"""Two years, only sent when the server is reached over https."""


def headers(*, https: bool) -> dict[str, str]:
    """The headers of every answer.

    Parameters
    ----------
    https : bool
        Whether people reach the server encrypted; then browsers are told never to come otherwise.
    """
    result = dict(HEADERS)
    if https:
        result["Strict-Transport-Security"] = STRICT_TRANSPORT
    return result
