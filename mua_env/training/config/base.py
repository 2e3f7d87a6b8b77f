"""What all groups of a training's settings have in common."""

from mua_env.core.settings import Settings as Settings
from mua_env.core.settings import read_settings as read_settings
