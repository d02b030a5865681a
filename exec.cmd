@rem Runs a command on Windows, where the scripts of package.json find no exec; a shell of POSIX replaces itself by the command, so that signals to npm reach it.
@%*
