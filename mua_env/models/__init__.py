"""Pretrained models that can be had offline, from package registries instead of model hubs."""
