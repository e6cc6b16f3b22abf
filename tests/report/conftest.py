"""A real browser for the pages of reports."""

import shutil
import tempfile

import pytest

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
)
NAMES = ("chromium", "chromium-browser", "google-chrome")
NO_SCRIPTS = {"profile.managed_default_content_settings.javascript": 2}


def start_browser(folder, scripts=True):
    webdriver = pytest.importorskip("selenium.webdriver", reason="install selenium")
    binary = next(filter(None, map(shutil.which, NAMES)), None)
    driver = shutil.which("chromedriver")
    if not (binary and driver):
        pytest.skip("pages are tested in a browser: install chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={folder}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    if not scripts:
        options.add_experimental_option("prefs", NO_SCRIPTS)
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


@pytest.fixture(scope="package")
def browser():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        started = start_browser(folder)
        yield started
        started.quit()


@pytest.fixture(scope="package")
def browser_without_scripts():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        started = start_browser(folder, scripts=False)
        yield started
        started.quit()
