"""Nothing of it is used."""

Schema = None
