"""What people see: values, templates, and the routes that put them together."""
