"""Plans read and written: whatever form they have, they are read into `clew.words.plans.Plan`.

reading    which form a text has; all that is wrong with a plan, at once
own        our own form: Markdown with a block of YAML a phase
prose      Markdown of other tools: labels, checkboxes
data       JSON and YAML with phases or tasks
building   from the values of a form to a plan
fields     each field in its type, by whatever name a form has it
lines      what the Markdown forms share
located    JSON and YAML whose values know their lines
writing    a plan in our own form
design     the design beside a plan
pictures   a plan as a table, as Mermaid, as SVG
"""

from clew.documents.plans.building import PlanRead
from clew.documents.plans.design import design_text
from clew.documents.plans.reading import examine, read, read_plan
from clew.documents.plans.writing import difference, write

__all__ = ["PlanRead", "design_text", "difference", "examine", "read", "read_plan", "write"]
