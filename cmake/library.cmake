# The installable library: one archive of all components.
