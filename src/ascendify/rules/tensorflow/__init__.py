"""What rules for both releases of TensorFlow share: datasets, devices, number types, formulas.

It holds no rules, so the registry does not walk it. A helper that one release needs stays with
the family of that release.
"""
