"""Front ends: from program text to `craton.program`."""
