"""Trained models at answering time, in numpy alone."""
