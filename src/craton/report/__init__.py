"""What people see: explanations as text, pages and data."""
