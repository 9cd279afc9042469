"""Study a question: can a model tell which sentences need a citation?"""
