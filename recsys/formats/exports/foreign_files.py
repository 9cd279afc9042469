def foreign(head):
    return None
