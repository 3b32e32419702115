"""Documents for people, rendered from records and read back.

templates/   their fixed words; sentences made of facts are in the modules below
views        the records that documents are rendered from
markdown     pieces of Markdown that no content can break out of
templating   Jinja2 templates, loaded on first use
front_matter YAML or JSON between two `---` lines
weaving      changes put into front matter, which keeps its bytes
own_log      the part of a body that Clew writes
report       debug/{topic}/NNN_name.md
session      the session document: front matter for machines, a log for people
phases       the document of a plan's session
escalation   the message that hands over to a person
summary      NNN_workflow_summary.md
debug_sessions  debug/sessions/SLUG.md: what is known of a symptom
knowledge    debug/knowledge-base.md: what was wrong once, and what mended it
plans        plans of every form, read, written and drawn
checkpoint   a state to come back to, as JSON
"""
