"""A module for each kind of package: `test(home)` installs it below the directory `home`, uses it as a host would, and removes it. It
returns why there is nothing to test, if there is nothing."""
