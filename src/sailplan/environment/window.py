"""A window that shows pictures."""

from __future__ import annotations

from typing import Any

from PIL import Image

from sailplan.errors import EpisodeError


class Window:
    """A window that shows pictures at a limited rate; the first picture opens it."""

    def __init__(self, title: str, pictures_a_second: int) -> None:
        self._title, self._pictures_a_second = title, pictures_a_second
        self._pygame: Any = None
        self._clock: Any = None

    def show(self, picture: Image.Image) -> None:
        """Show a picture; the window is resized to it."""
        if self._pygame is None:
            self._open()
        pygame = self._pygame
        screen = pygame.display.get_surface()
        if screen is None or screen.get_size() != picture.size:
            screen = pygame.display.set_mode(picture.size)
        screen.blit(pygame.image.frombuffer(picture.tobytes(), picture.size, "RGB"), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(self._pictures_a_second)

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._pygame is not None:
            self._pygame.display.quit()
            self._pygame = None

    def _open(self) -> None:
        try:
            import pygame
        except ImportError as error:
            raise EpisodeError("a window needs pygame: pip install '.[gym]' in a checkout") from error
        pygame.display.init()
        pygame.display.set_caption(self._title)
        self._pygame, self._clock = pygame, pygame.time.Clock()
