"""The program `recsys` as typer takes it: its commands, and how a command line reaches one."""

import copy
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, TypeVar, get_args, get_origin

import typer
import typer.main
from typer.core import TyperCommand, TyperGroup
from typer.models import OptionInfo, ParameterInfo

from recsys.app.cache import index_here
from recsys.app.cli import help_panels
from recsys.app.cli import options as shared_options
from recsys.app.cli.entry import JSON_ERRORS
from recsys.app.cli.options import IndexPlace, OneOf, Without, cli_option
from recsys.errors import UsageError
from recsys.query.question_schema import QuestionOptions, options

Command: TypeAlias = Callable[..., int | None]
"""Returns an exit code, or None for 0."""
_Note = TypeVar("_Note", IndexPlace, OneOf, Without)
_LITERAL: Any = Literal

GROUPS: Mapping[str, str] = {
    "train": "Train a ranker or another model on an index's citations.",
    "study": "Experiments on networks, encoders and clicks.",
    "watch": "Report new papers that your drafts should cite.",
}
"""Word that begins the names of several commands -> what they have in common."""
_MEANT: Mapping[str, str] = {"recsys": "recommend", "recsys train": "ranker"}
"""Group -> the command that is meant where a file or an index stands in the command's place."""
_UNSHOWN_DEFAULTS = ("none", "any")
_METAVARS: Mapping[Any, str] = {int: "N", float: "X", int | None: "N", float | None: "X"}

COMMANDS: Mapping[str, str] = {
    "recommend": "recommending:recommend",
    "cite": "citing:cite",
    "check": "checking:check",
    "watch add": "watching:add",
    "watch run": "watching:run",
    "watch list": "watching:list_watches",
    "watch remove": "watching:remove",
    "serve": "serving:serve",
    "mcp": "serving:serve_agents",
    "lsp": "editing:lsp",
    "map": "recommending:draw_map",
    "build": "building:build",
    "update": "building:update",
    "add-contexts": "sentences:add_contexts",
    "corpus": "building:corpus",
    "fetch": "fetching:fetch",
    "train ranker": "building:train_ranker",
    "train local": "sentences:train_local",
    "train nnselect": "networks:train_nnselect",
    "train nnrank": "networks:train_nnrank",
    "train encoder": "encoder_training:train_encoder",
    "batch": "evaluating:batch",
    "evaluate": "evaluating:evaluate",
    "evaluate-local": "sentences:evaluate_local",
    "evaluate-watch": "watching:evaluate_watch",
    "compare": "evaluating:compare",
    "repeats": "evaluating:repeats",
    "report": "evaluating:report",
    "embed": "encoder_measures:embed",
    "inspect": "checking:inspect",
    "doctor": "checking:doctor",
    "study tune-nnselect": "networks:tune_nnselect",
    "study tune-nnrank": "networks:tune_nnrank",
    "study ablate-nnrank": "networks:ablate_nnrank",
    "study ablate-encoder": "encoder_training:ablate_encoder",
    "study train-journal": "encoder_training:train_journal",
    "study ablate-journal": "encoder_training:ablate_journal",
    "study scidocs": "encoder_measures:scidocs",
    "study scidocs-generate": "encoder_measures:generate_scidocs",
    "study probe": "encoder_measures:probe_embeddings",
    "study compare-encoders": "encoder_measures:compare_encoders",
    "study clicks-simulate": "clicks:simulate",
    "study clicks-estimate": "clicks:estimate",
    "study clicks-evaluate": "clicks:evaluate",
    "study clicks-task": "clicks:run_task",
    "study clicks-study": "clicks:study",
}
"""Full name of a command, in the order in which `--help` shows them -> its module and function."""

FIRST_STEPS = """\
recsys recommends papers that a draft should cite. To begin, copy one of these lines:

  recsys recommend --title "Recommending citations with text embeddings"
  recsys recommend paper.tex           # Your draft: .tex, .docx, .pdf, .md and others.
  recsys build library.bib --out my.index && recsys recommend paper.tex --index my.index

The first two search a starter corpus of 469 papers on language processing, retrieval and
recommendation; the third one indexes your own papers. `recsys --help` lists every command."""


def run(words: Sequence[str]) -> int:
    """Let typer read a command line and run what it asks for; return the exit code.

    Raises:
        UsageError: there is no such command or option, or a value makes no sense.
    """
    try:
        program = typer.main.get_command(application(words))
        return program.main(list(words), prog_name="recsys", standalone_mode=False) or 0
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except typer.TyperException as error:
        # What typer checks by pydantic begins with pydantic's words.
        what = error.format_message().replace("Value error, ", "")
        what = re.sub(r" \(Possible options: (.*)\)$", r". Did you mean \1?", what)
        stop = "" if what.endswith((".", "?", ")")) else "."
        path = getattr(getattr(error, "ctx", None), "command_path", "recsys")
        raise UsageError(what + stop, f"See `{path} --help`.") from error


def application(words: Sequence[str] = ()) -> typer.Typer:
    """Make typer's program of the commands: of the one that the words begin with, else of all.

    The module of a command is imported here, so that a process imports the one that it runs.
    """
    app = typer.Typer(
        cls=PlainGroup,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={
            "help_option_names": ["-h", "--help"],
            "max_content_width": help_panels.WIDEST,
        },
    )
    app.callback(invoke_without_command=True)(_root)
    groups = {
        name: typer.Typer(cls=PlainGroup, rich_markup_mode=None, help=text)
        for name, text in GROUPS.items()
    }
    for name, group in groups.items():
        app.add_typer(group, name=name, rich_help_panel=help_panels.PANEL_OF_COMMAND.get(name))
    named = [name for name in COMMANDS if list(words[: name.count(" ") + 1]) == name.split()]
    for name in named or COMMANDS:
        *inside, own = name.split()
        group = groups[inside[0]] if inside else app
        panel = None if inside else help_panels.PANEL_OF_COMMAND.get(own)
        group.command(own, cls=PlainCommand, rich_help_panel=panel)(command(name, load(name)))
    return app


def _root(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Recommend papers to cite in a draft, each with a probability and reasons.

    Start with `recsys recommend draft.json`, which answers from a starter corpus of 469 papers, or
    index your own papers with `recsys build papers.bib --out my.index`.
    """
    if version:
        from recsys.store.artifacts import CREATED_BY

        typer.echo(CREATED_BY)
    elif context.invoked_subcommand is None:
        typer.echo(FIRST_STEPS, err=True)
        raise typer.Exit(2)


def load(name: str) -> Command:
    """Import the command of a name."""
    module, _, function = COMMANDS[name].partition(":")
    found: Command = getattr(import_module(f"recsys.app.cli.{module}"), function)
    return found


def command(name: str, run: Command) -> Callable[..., int]:
    """Make of a function what typer takes for the command of this name.

    An index that lies on a store becomes a folder of this machine, and what the command changes
    there is brought to the store.
    """

    def called(**given: Any) -> int:  # noqa: ANN401  # Whatever the parameters are.
        del given["json_errors"]  # `entry.exit_code` finds it among the words.
        try:
            with ExitStack() as stack:
                for each in inspect.signature(run).parameters.values():
                    if without := _note(each, Without):
                        names = {option.name for option in options()}.difference(without.names)
                        asked = QuestionOptions.of({name: given.pop(name) for name in names})
                        given[each.name] = asked
                    elif place := _note(each, IndexPlace):
                        quiet = bool(given.get("quiet"))
                        given[each.name] = _here(given[each.name], place, stack, quiet=quiet)
                return run(**given) or 0
        except UsageError as error:
            raise UsageError(error.what, f"See `recsys {name} --help`.") from error

    called.__name__, (called.__doc__, _) = run.__name__, explained(run)
    signature = inspect.Signature([*parameters(run)])
    called.__signature__ = signature  # type: ignore[attr-defined]  # For `inspect.signature`.
    return called


def parameters(run: Command) -> Iterator[inspect.Parameter]:
    """List the arguments and options of a command, as typer takes them.

    An option is called after its parameter and explained in a docstring (see `explained`), unless
    its annotation has words of its own; "Default: ..." at their end is shown as its default. The
    options of a question stand where the function takes `QuestionOptions`, and --json-errors at the
    end of every command.
    """
    _, meanings = explained(run)
    for each in inspect.signature(run).parameters.values():
        if without := _note(each, Without):
            for option in options():
                if option.name not in without.names:
                    kind = list[str] | None if option.several else option.kind
                    default = None if option.several else option.default
                    yield _parameter(option.name, kind, cli_option(option), default)
            continue
        kind, *notes = (
            get_args(each.annotation)
            if get_origin(each.annotation) is Annotated
            else (each.annotation,)
        )
        if one_of := _note(each, OneOf):
            words: Any = _LITERAL[tuple(one_of.names)]
            kind = words | None if isinstance(None, kind) else words  # `str | None`.
        said = next((note for note in notes if isinstance(note, ParameterInfo)), None)
        if said is None or not said.help:
            said = typer.Option() if said is None else copy.copy(said)  # It may stand in several.
            said.help, _, default = meanings[each.name].partition(" Default: ")
            said.show_default = default.removesuffix(".") or said.show_default
            if isinstance(said, OptionInfo) and said.default is ...:  # There is no flag in it.
                said.param_decls = (f"--{each.name.replace('_', '-')}",)
        yield _parameter(each.name, kind, said, each.default)
    said = typer.Option(JSON_ERRORS, help=meanings["json_errors"])
    yield _parameter("json_errors", bool, said, False)


def explained(run: Command) -> tuple[str, Mapping[str, str]]:
    """Part the docstring of a command: what it does, and what each of its parameters means.

    What it does not say of them, that of its module does, else that of `recsys.app.cli.options`.
    """
    meanings: dict[str, str] = {}
    for told in (shared_options, inspect.getmodule(run), run):
        does, _, listed = (inspect.getdoc(told) or "").partition("\n\nArgs:\n")
        entries = re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", listed, re.MULTILINE)
        meanings |= {name: " ".join(words.split()) for name, words in entries}
    return does, meanings


def _parameter(name: str, kind: Any, said: ParameterInfo, default: object) -> inspect.Parameter:  # noqa: ANN401  # A type, or one that may be None.
    said = copy.copy(said)
    if said.show_default in _UNSHOWN_DEFAULTS:
        said.show_default = False
    said.metavar = said.metavar or _METAVARS.get(kind)
    said.rich_help_panel = said.rich_help_panel or help_panels.PANEL_OF_OPTION.get(name)
    # By keyword only: a required option may then follow one that is not.
    only = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, only, default=default, annotation=Annotated[kind, said])


def _note(parameter: inspect.Parameter, kind: type[_Note]) -> _Note | None:
    """Return what stands in an annotation beside what typer reads."""
    return next((each for each in get_args(parameter.annotation) if isinstance(each, kind)), None)


def _here(value: Any, place: IndexPlace, stack: ExitStack, *, quiet: bool) -> Any:  # noqa: ANN401  # A path, several, or None.
    """Give folders of this machine for addresses of stored indexes: see `app.cache`."""
    if isinstance(value, list):
        return [_here(each, place, stack, quiet=quiet) for each in value]
    if value is None or place.kept:
        return value
    here = index_here(value, change=place.changed, follow=place.followed, quiet=quiet)
    return stack.enter_context(here)


# Typer converts words by pydantic, whose import takes as long as half an answer. What needs no
# pydantic is converted here; all else, and what is wrong, is left to typer.

_PLAIN: Mapping[Any, str] = {
    str: r"[^\ud800-\udfff]*",  # Half pairs are of names with bytes that are no UTF-8.
    Path: r"[^\ud800-\udfff]+",
    int: r"[0-9]{1,15}",
    float: r"[0-9]{1,15}(\.[0-9]{1,15})?",
}
"""Type of a value -> the words that it takes as typer does."""


class PlainConversion:
    """Stands in a parameter of typer's for what would convert its words."""

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:  # noqa: ANN401  # As typer's own.
        """Convert the words of a parameter, or its default."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        try:
            kind = param.type_descriptor.annotation
            kind = get_args(kind)[0] if several else kind
            words = [self._converted(word, kind, param) for word in (value if several else [value])]
        except AttributeError:  # Another version of typer has other names.
            words = [None]
        if None in words:
            param._runtime_param = None
            return param.get_runtime_param().coerce(value, param=param, ctx=ctx)
        return words if several else words[0]

    def _converted(self, word: Any, kind: Any, param: Any) -> Any:  # noqa: ANN401
        """Return the value of a word, None where typer shall read it."""
        if not isinstance(word, str):
            return word  # A default.
        if get_origin(kind) is Literal:
            return word if word in get_args(kind) else None
        if not re.fullmatch(_PLAIN.get(kind, r"(?!)"), word, re.DOTALL):
            return None
        value = kind(word)
        low, high = param.min, param.max
        fits = (low is None or value >= low) and (high is None or value <= high)
        return value if fits else None


class PlainCommand(TyperCommand):
    """Converts words without pydantic, where it needs none, and writes help without rich."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401  # A copy of click's, in typer.
        """List the parameters, among them --help."""
        return _converting_plainly(super().get_params(ctx))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write what the command does."""
        help_panels.write_text(self.help, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the options under their headings."""
        help_panels.write_options(self.get_params(ctx), ctx, formatter)


class PlainGroup(TyperGroup):
    """Converts words without pydantic, where it needs none, and writes help without rich."""

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401
        """List the parameters, among them --help."""
        return _converting_plainly(super().get_params(ctx))

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write what the commands have in common."""
        help_panels.write_text(self.help, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401
        """Write the commands under their headings, then the few options."""
        help_panels.write_commands(self, ctx, formatter)
        help_panels.write_options(self.get_params(ctx), ctx, formatter)

    def resolve_command(self, ctx: Any, args: Any) -> Any:  # noqa: ANN401
        """Find the command; where a file or an index stands in its place, name what is meant."""
        word, path = args[0], ctx.command_path
        meant = path in _MEANT and word not in self.commands and Path(word).suffix
        if meant and not word.startswith("-"):
            what = f"{word!r} is not a command of `{path}`."
            hint = f"Did you mean `{path} {_MEANT[path]} {word}`? See `{path} --help`."
            raise UsageError(what, hint)
        return super().resolve_command(ctx, args)


def _converting_plainly(parameters: Iterable[Any]) -> list[Any]:
    for each in parameters:
        each._runtime_param = PlainConversion()
    return list(parameters)
