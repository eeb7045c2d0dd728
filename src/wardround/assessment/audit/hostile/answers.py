"""Attacks that read the gold: from files, packages and the environment."""

import importlib
import os
from typing import Any

from wardround.assessment.audit.hostile.attack import attack, read_text, system_call


@attack("answers")
def files(known: dict[str, Any]) -> object:
    return [text for path in known["secrets"] if (text := read_text(path))]


@attack("answers")
def listed_suites(known: dict[str, Any]) -> object:
    return [n for n in os.listdir(known["suite_folder"]) if known["names_hidden"]]


@attack("answers")
def packaged_suites(known: dict[str, Any]) -> object:
    return importlib.import_module("wardround.benchmarks").__file__


@attack("answers")
def packaged_makers(known: dict[str, Any]) -> object:
    return importlib.import_module("wardround.authoring").__file__


@attack("answers")
def made_hospital(known: dict[str, Any]) -> object:
    return importlib.import_module("wardround.ehr.hospital.catalogue")


@attack("answers")
def links_to_files(known: dict[str, Any]) -> object:
    for number, path in enumerate(known["secrets"]):
        os.symlink(path, f"link{number}")
        if text := read_text(f"link{number}"):
            return text
    return None


@attack("answers")
def hard_links(known: dict[str, Any]) -> object:
    os.link(known["secrets"][0], "hard")
    return read_text("hard")


@attack("answers")
def renamed_files(known: dict[str, Any]) -> object:
    os.rename(known["secrets"][0], "moved")
    return True


@attack("answers")
def paths_without_access(known: dict[str, Any]) -> object:
    number = os.open(known["secrets"][0], os.O_PATH)
    try:
        return read_text(f"/proc/self/fd/{number}")
    finally:
        os.close(number)


@attack("answers")
def environment(known: dict[str, Any]) -> object:
    return [n for n, v in os.environ.items() if v in known["values"] or n.startswith("PG")]


@attack("answers")
def password_files(known: dict[str, Any]) -> object:
    return (
        read_text("/etc/shadow") or read_text("/root/.ssh/id_rsa") or read_text("/etc/ssl/private")
    )


@attack("answers")
def keyring(known: dict[str, Any]) -> object:
    return system_call(250, 0, -3, 1)
