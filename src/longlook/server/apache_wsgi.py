"""Server `apache-wsgi`: Apache with Flask behind it, in a daemon of mod_wsgi with five threads, as in the thesis."""

from __future__ import annotations

from longlook.server.apache import Apache

THREADS = 5
APP = """from flask import Flask

application = Flask(__name__, static_folder={www!r}, static_url_path="")


@application.after_request
def as_other_servers_say_it(answer):
    answer.headers["Content-Type"] = answer.mimetype  # without a charset
    return answer
"""
"""Every object comes from Flask's own route for static files, which is at the top of the site."""


class ApacheWsgi(Apache):
    """As `apache`; every request is answered in Python."""

    name = "apache-wsgi"

    def _extra_modules(self) -> str:
        own = f"LoadModule wsgi_module MODULES/mod_wsgi.so\nWSGISocketPrefix {self.state}/wsgi\n"
        return own + super()._extra_modules()

    def _extra(self) -> str:
        app = self.state / "app.wsgi"
        app.write_text(APP.format(www=str(self.settings.site.root)), encoding="utf-8")
        return (
            f"WSGIDaemonProcess pages threads={THREADS}\n"
            f"WSGIScriptAlias / {app} process-group=pages application-group=%{{GLOBAL}}\n" + super()._extra()
        )

    def version(self) -> str:
        return f"{super().version()} with Flask {self.stack.component_version('flask')}"
