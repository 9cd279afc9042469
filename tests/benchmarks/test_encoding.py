"""Bulk encoding is compared with the library at its best."""

from benchmarks.encoding import _rates, _ratios, _share


def test_ratios_are_to_the_best_batch_size_by_each_clock() -> None:
    rates = {
        "sentence_transformers, batch 8": {"wall": 10.0, "cpu": 8.0},
        "sentence_transformers, batch 32": {"wall": 20.0, "cpu": 5.0},
        "recsys int8": {"wall": 80.0, "cpu": 32.0},
    }
    assert _ratios(rates) == {
        "sentence_transformers, batch 8": {"wall": 0.5, "cpu": 1.0},
        "sentence_transformers, batch 32": {"wall": 1.0, "cpu": 0.62},
        "recsys int8": {"wall": 4.0, "cpu": 4.0},
    }


def test_rates_are_of_the_median_round() -> None:
    assert _rates([(1.0, 2.0), (9.0, 4.0), (2.0, 8.0)], 8) == {"wall": 4.0, "cpu": 2.0}


def test_products_are_told_apart_from_other_operators() -> None:
    events = [
        {"name": "session_initialization", "dur": 900},
        {"name": "/first_kernel_time", "dur": 30, "args": {"op_name": "MatMul"}},
        {"name": "/second_kernel_time", "dur": 10, "args": {"op_name": "Gelu"}},
    ]
    assert _share(events) == 0.75
