"""What the simulated Pixelfed takes from an app and how it words a refusal: pure functions over values.

After pixelfed#6974 and the handler of exceptions that is beside it.
"""

import ipaddress
import json
import re
from urllib.parse import parse_qsl, urlsplit

INSTANCE = "/api/v2/instance"
METHODS = {
    INSTANCE: ["GET"],
    "/api/v1/push/subscription": ["POST", "DELETE"],  # no GET, other than Mastodon
}
PUSH = "push"  # the scope


class Refusal(Exception):
    """An answer that is not 200. `errors` are those of validation: a field's name and what is wrong with it."""

    def __init__(self, status, message, errors=None):
        super().__init__(message)
        self.status = status
        self.errors = errors

    def body(self, wants_json):
        """Laravel's word for a message is `message`, and Pixelfed's for whoever accepts JSON first is `error`."""
        if self.errors:
            return {"message": str(self), "errors": {name: [text] for name, text in self.errors}}
        return {"error" if wants_json else "message": str(self)}


def wants_json(accept):
    return "json" in accept.partition(",")[0]


def fields_of(content_type, body):
    """The fields of a form as PHP nests them, or of JSON; nothing for what is neither."""
    if "json" in content_type:
        try:
            fields = json.loads(body)
        except ValueError:
            return {}
        return fields if isinstance(fields, dict) else {}
    fields = {}
    if not content_type.startswith("application/x-www-form-urlencoded"):
        return fields
    for name, value in parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True):
        *path, last = [re.match(r"[^\[]*", name)[0], *re.findall(r"\[([^\]]*)\]", name)]
        level = fields
        for part in path:
            level = level.setdefault(part, {})
            if not isinstance(level, dict):
                break
        else:
            level[last] = value
    return fields


def validated(fields, resolvable):
    """Endpoint, key and secret of a registration; all that is wrong is refused at once."""
    errors, values = [], []
    for name, limit in (("endpoint", 500), ("keys.p256dh", 191), ("keys.auth", 191)):
        name = "subscription." + name
        value = fields
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        value = value.strip() if isinstance(value, str) else value
        values.append(value)
        if value is None or value == "":
            errors.append((name, f"The {name} field is required."))
        elif not isinstance(value, str):
            errors.append((name, f"The {name} field must be a string."))
        elif len(value) > limit:
            errors.append((name, f"The {name} field must not be greater than {limit} characters."))
        elif limit == 500 and (reason := objection(value, resolvable)):
            errors.append((name, f"The {name} {reason}."))
    if errors:
        more = len(errors) - 1
        others = f" (and {more} more error{'s' if more > 1 else ''})" if more else ""
        raise Refusal(422, errors[0][1] + others, errors)
    return values


def objection(endpoint, resolvable):
    """What is wrong with the URL of a push service; None when nothing is."""
    try:
        parts = urlsplit(endpoint)
        host = parts.hostname
    except ValueError:
        return "not a valid absolute URL"
    if not parts.scheme or not host:
        return "not a valid absolute URL"
    if parts.scheme != "https":
        return "must use https"
    if parts.username or parts.password:
        return "must not contain embedded credentials"
    try:
        return None if ipaddress.ip_address(host).is_global else "resolves to a private or reserved address"
    except ValueError:
        return None if origin(endpoint) in resolvable else "host could not be resolved"


def origin(endpoint):
    parts = urlsplit(endpoint)
    return f"{parts.scheme}://{parts.netloc}"


def resource(row, public_key):
    """What a registration is answered; which alerts it wants is ignored, since they are settings of the account."""
    return {
        "id": str(row.id), "endpoint": row.endpoint, "standard": True,
        "alerts": {"follow": True, "favourite": True, "mention": True, "reblog": False, "poll": False,
                   "status": False},
        "server_key": public_key,
    }
