# Craton with the compiler that it runs counterexamples with:
#   docker build -t craton .
#   docker run --rm -v "$PWD:/work" craton verify prog.c
#   docker run --rm -v "$PWD:/work" --user "$(id -u):$(id -g)" craton verify prog.c --report report.html   # files are yours
#   docker run --rm --network host craton serve                                                            # the playground
FROM python:3.12-slim AS wheel
RUN pip install --no-cache-dir build
COPY pyproject.toml README.md LICENSE CHANGELOG.md /src/
COPY src /src/src
COPY examples/c /src/examples/c
RUN python -m build --wheel --outdir /wheels /src

FROM python:3.12-slim
RUN apt-get update && apt-get install --no-install-recommends -y gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY --from=wheel /wheels /wheels
RUN pip install --no-cache-dir /wheels/*.whl && rm -r /wheels
RUN useradd --create-home craton
USER craton
WORKDIR /work
ENTRYPOINT ["craton"]
CMD ["--help"]
