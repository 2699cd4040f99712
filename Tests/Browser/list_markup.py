#!/usr/bin/python3
"""Reads a page as XML, and lists what it is made of: a line for each element, each attribute, and each id.

    list_markup.py PAGE.html
"""

import sys
from xml.etree import ElementTree

try:
    page = ElementTree.parse(sys.argv[1])
except ElementTree.ParseError as error:
    sys.exit(f"the page is not well formed: {error}")
for element in page.iter():
    print("element", element.tag.rpartition("}")[2])
    for name, value in element.attrib.items():
        print("attribute", name)
        if name == "id":
            print("id", value)
