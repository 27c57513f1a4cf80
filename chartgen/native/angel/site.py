"""angel-site: Angel's properties in Hadoop's XML, as in conf/angel-site.xml.

chartgen reads <configuration> with a <property> for each name and value, as Hadoop does; of a
property that is given twice, the last value counts. A file is one job. No entity is ever expanded,
and no other file is read: a document type is refused.

  chartgen render angel-site.xml -o charts --image tencentangel/angel:v3.0.0
  chartgen convert angel-site.xml > job.yaml      # the job description that it means

Example
  <configuration>
    <property>
      <name>angel.job.name</name>
      <value>lr</value>
    </property>
    <property>
      <name>angel.ps.number</name>
      <value>2</value>
    </property>
  </configuration>

Taken, dropped and different
  The properties mean what they mean to angel-submit: `chartgen explain angel-submit` has the table.
  <final>, <description> and <source> of a property are dropped.
"""

from chartgen.document import Document
from chartgen.native.angel import job
from chartgen.native.draft import Adopted


def adopt(document: Document) -> Adopted:
    """The job description that the properties mean."""
    return job.adopt(document, {}, "<name>{}</name><value>{}</value>")
