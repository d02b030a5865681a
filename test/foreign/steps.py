# The steps of a tour in Python, each a function that prints one line of JSON, and the facts that the tour is given: `tour.py FACTS`.
import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    FACTS = json.load(file)

_STEPS = []


def step(function):
    _STEPS.append(function)
    return function


def expect(actual, expected):
    if actual != expected:
        raise AssertionError(f"{actual!r} in place of {expected!r}")


def take_steps():
    for each in _STEPS:
        done = {"step": each.__name__}
        try:
            each()
        except Exception as error:  # Whatever it is, it is told of its step, and the next one runs.
            done["error"] = f"{type(error).__name__} {error}"
        print(json.dumps(done))
