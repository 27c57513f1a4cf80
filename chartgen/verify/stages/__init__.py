"""The stages of `chartgen test`, one module each; `chartgen.verify.STAGES` is their order."""
