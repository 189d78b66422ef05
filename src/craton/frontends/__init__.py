"""Front ends: from program text to `craton.program`. `programs` loads whatever a user names."""
