"""Helm, and the options that a command passes to it for a chart."""

from argparse import Namespace, _ActionsContainer

from chartgen.startup.typing import TYPE_CHECKING

if TYPE_CHECKING:  # a mistyped command does without it
    from chartgen.world.helm import HelmValues


def add_helm(parser: _ActionsContainer) -> None:
    """--helm, for commands that run Helm."""
    about = "the Helm to run; default: $CHARTGEN_HELM, helm on PATH, or that of chartgen[helm]"
    parser.add_argument("--helm", default="", metavar="FILE", help=about)


def add_values(parser: _ActionsContainer, about: str) -> None:
    """--values, as Helm takes it."""
    parser.add_argument("-f", "--values", action="append", metavar="FILE", help=about)


def add_set(parser: _ActionsContainer, about: str) -> None:
    """--set, as Helm takes it."""
    parser.add_argument("--set", action="append", metavar="KEY=VALUE", help=about)


def helm_values(args: Namespace) -> "HelmValues":
    """What --set, --values and --namespace say."""
    from chartgen.world.helm import HelmValues

    return HelmValues(tuple(args.set or ()), tuple(args.values or ()), args.namespace or "")
